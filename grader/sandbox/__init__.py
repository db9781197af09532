"""The warm process and the walls around student code. Everything in `inside/` runs behind them, and nothing else."""
