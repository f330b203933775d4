"""Tables as frames of numbers, one file a study."""
