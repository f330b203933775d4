"""The one error of this room."""


class PredictionError(RuntimeError):
    """A rule or a registration that cannot be used; the message says what to do."""
