"""What goes wrong with a model."""


class ModelError(RuntimeError):
    """A model that is unknown, unreachable or not what it should be."""
