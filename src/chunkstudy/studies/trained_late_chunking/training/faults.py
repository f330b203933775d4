"""What goes wrong in training, each in one sentence that says what to do."""


class TripleError(ValueError):
    """A passage that does not lie where a triple says, or a part without any questions."""


class TrainingError(RuntimeError):
    """A training run that cannot go on."""
