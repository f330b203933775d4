"""Every claim of the works, and what decides it."""
