"""Errors that an author or instructor reads."""


class GraderError(Exception):
    """Something is wrong with the input; the text says what, where and what to do.

    Args:
        what: What is wrong.
        where: File, notebook or cell it was found in.
        fix: What to do about it.
    """

    def __init__(self, what: str, where: str = "", fix: str = ""):
        self.what, self.where, self.fix = what, where, fix
        super().__init__(f"{where}: {what}" if where else what)

    def __str__(self) -> str:
        """Give the text over one or two lines."""
        text = super().__str__()
        return f"{text}\n  Fix: {self.fix}" if self.fix else text
