"""Submissions that aim at the grader instead of the exercises: our own corpus, to test our own grader with.

Each kind (`kinds/`) is a submission whose answers are wrong and deserve no point, with a trick added. The harness
hands them to stock nbgrader and to this course's grader, in throw-away courses full of canaries, and says what
each got.
"""
