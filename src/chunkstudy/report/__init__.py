"""Tables, figures and pages, all computed from records."""
