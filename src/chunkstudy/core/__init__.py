"""What everything stands on: spans, tokens, protocols, files, downloads, keys and budget."""
