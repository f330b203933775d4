"""What every service over the network needs, whatever it sells: keys, retries, prices, a budget."""
