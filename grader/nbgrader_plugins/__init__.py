"""What `nbgrader_config.py` names."""
