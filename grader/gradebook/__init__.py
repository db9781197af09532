"""The one writer of marks, and the records it keeps beside them."""
