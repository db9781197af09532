"""Tools for the maintainer of the notebooks: helpers, text view, execution, style guide, release."""
