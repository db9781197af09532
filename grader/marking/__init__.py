"""Marking a class: from a submission's file to points, the student's code on one side and the tests on the other."""
