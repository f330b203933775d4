"""The rehearsal: the whole published grid on small random checkpoints, made-up collections and
services on the loopback, so that it is known to run before weights and keys are at hand."""
