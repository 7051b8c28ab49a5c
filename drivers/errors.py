"""What can go wrong on the way to a browser. Each error says what happened and what to do next."""


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
    """No browser, or no driver for it, where we look; `advice` names the command that installs it."""


class LaunchError(DriverError):
    """The browser or its driver is there but did not become usable; `message` ends with its last words."""


class VersionMismatchError(LaunchError):
    """A driver refuses the browser because it was made for another version."""


class PortTakenError(LaunchError):
    """The driver chose a port that somebody else took at the same time."""


class GridError(DriverError):
    """A Grid does not do what it was asked for beside WebDriver."""


class InstallError(DriverError):
    """Nothing could be installed; `message` names every way that was tried and why it failed."""


class SessionNotCreatedError(Exception):
    """The driver could not start the browser; the message is the driver's, without its stack trace."""


class NotReachedError(SessionNotCreatedError):
    """The driver, or the Grid, did not answer at all."""
