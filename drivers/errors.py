"""Errors of finding, installing, starting and reaching browsers. Each says what happened and what to do next."""


class DriverError(Exception):
    """A browser could not be found, installed, started or reached."""

    message: str
    """What happened."""
    advice: str
    """What to do next, often a command to run."""

    def __init__(self, message: str, advice: str) -> None:
        super().__init__(message, advice)
        self.message = message
        self.advice = advice

    def __str__(self) -> str:
        return f"{self.message}\n{self.advice}"


class BrowserNotFoundError(DriverError):
    """No browser, or no driver for it, was found. `message` names the command to install it, or the invalid path."""


class LaunchError(DriverError):
    """The browser or its driver exists but did not become usable. For an unknown cause, `message` ends with the log."""


class VersionMismatchError(LaunchError):
    """A driver refuses the browser because the driver was made for another browser version."""


class PortTakenError(LaunchError):
    """The driver chose a port that another program took at the same time."""


class GridError(DriverError):
    """A Grid failed at a request that is not part of WebDriver."""


class InstallError(DriverError):
    """Nothing could be installed; `message` names every method that was tried and why it failed."""


class SessionNotCreatedError(Exception):
    """The driver could not start the browser; the message is the driver's, without its stack trace."""


class NotReachedError(SessionNotCreatedError):
    """The driver or the Grid did not respond."""
