"""Questions outside the grid, one file each.

A study is a module here that opens with its question and defines ``COLLECTIONS``, what it takes
unless told otherwise, and ``tables(context, collections)``, which gives its tables by name; and
``PACKAGES``, where it needs others than every run. A study that trains models comes in parts
instead (in_parts.py).
``chunkstudy study NAME`` runs it.
"""
