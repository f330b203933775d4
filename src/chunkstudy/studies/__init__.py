"""What notebooks need beyond a cell, a folder each; and questions outside the grid, a module each.

What a notebook alone needs is named by nothing but the notebook. An experiment that
``chunkstudy study NAME`` runs is a module that opens with its question and decorates the function
that answers it with :func:`chunkstudy.pipeline.experiments.experiment`: ``tables(context,
collections)``, which gives its tables by name, or, of one that takes hours, ``part(context, part)``
with the plan of its parts.
"""
