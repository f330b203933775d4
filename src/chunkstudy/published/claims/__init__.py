"""Every claim of the four works as a function under its restated sentence, and what decides it."""
