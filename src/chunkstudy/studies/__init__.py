"""What notebooks need beyond a cell, a folder each; and questions outside the grid, a module each.

What a notebook alone needs is named by nothing but the notebook. An experiment that
``chunkstudy study NAME`` runs is a module that opens with its question and defines ``COLLECTIONS``,
what it takes, and ``tables(context, collections)``, which gives its tables by
name; and ``PACKAGES``, where it needs others than every run. One that takes hours comes in parts
instead, a ``PLAN`` (:class:`chunkstudy.pipeline.experiments.Experiment`).
"""
