"""Chunkers that ask a language model: their worth on Emma, their answers, and their cost."""
