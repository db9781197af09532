"""What students get back: cleaned, without hidden tests, with a reason for each lost point."""
