"""The warm process and its walls. `inside/` is exactly what runs behind them."""
