"""Every claim of the studied works, each decided by a small computation (see ``ledger``)."""
