"""What a maintainer of the notebooks uses: helpers, text view, execution, style guide, release."""
