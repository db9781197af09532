"""The steps and exporters of nbgrader that `nbgrader_config.py` names."""
