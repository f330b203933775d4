"""Asking a language model: one interface, several providers, replies recorded and priced."""
