"""What the notebook on baselines needs beyond a cell."""
