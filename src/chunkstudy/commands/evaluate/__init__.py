"""Somebody's own documents, questions, chunkers and encoders, evaluated as the study does it."""
