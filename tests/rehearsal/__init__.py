"""The published grid on random weights: what stands in, how it is run, and the marks it leaves."""
