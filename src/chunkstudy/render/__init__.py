"""From numbers to what is read: LaTeX, HTML, sentences, figures."""
