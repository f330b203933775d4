"""Chunkers that ask a language model: their worth on Emma, their answers, and their cost."""

from chunkstudy.studies.language_models import (
    answers,
    chunking_speed,
    cost,
    emma,
    shown,
    window_answers,
)
from chunkstudy.studies.language_models.shown import figure_answers
