"""Files from the model hub, at a revision and from an address that the environment may name.

``HF_ENDPOINT``, ``HF_HUB_CACHE`` and ``HF_HUB_OFFLINE`` are the hub's own variables. They are read
when something is asked for, since its client reads them once, when it is imported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from chunkstudy.core.errors import ResourceError
from chunkstudy.core.settings import Settings

HOME = "https://huggingface.co"


def endpoint() -> str:
    """The hub's address: HF_ENDPOINT, else the public one."""
    return (Settings.from_env().hub_address or HOME).rstrip("/")


def cache() -> str | None:
    """The folder of what was downloaded: HF_HUB_CACHE, or ``hub`` below HF_HOME; None for the
    client's own choice."""
    settings = Settings.from_env()
    if settings.hub_cache:
        return str(settings.hub_cache)
    return str(settings.hub_home / "hub") if settings.hub_home else None


def snapshot(
    repository: str,
    revision: str | None,
    files: Sequence[str],
    is_whole: Callable[[Path], bool],
    lost: str,
    but: Sequence[str] = (),
) -> Path:
    """The folder with a repository's files at a revision, from the cache where it is whole there,
    else downloaded.

    Args:
        revision: a commit; None for the newest.
        files: names or patterns, ``but`` for those that match others.
        is_whole: whether a folder holds what is wanted.
        lost: what to say where the hub was not reached.

    Raises:
        ResourceError: if they can be had nowhere.
    """
    from huggingface_hub import snapshot_download  # late: the import alone takes a second

    cause: Exception | None = None
    for only_cache in (True, False):
        try:
            folder = snapshot_download(
                repository,
                revision=revision,
                allow_patterns=sorted(files),
                ignore_patterns=list(but),
                local_files_only=only_cache or bool(Settings.from_env().hub_offline),
                endpoint=endpoint(),
                cache_dir=cache(),
            )
        except Exception as error:  # the client raises its own, the network's and the system's
            cause = error
        else:
            if not only_cache or is_whole(Path(folder)):
                return Path(folder)
    assert cause is not None  # of the download
    raise fault(repository, revision, cause) or ResourceError(lost) from cause


def cached(repository: str, revision: str, file: str) -> bool:
    """Whether a file lies in the cache."""
    from huggingface_hub import try_to_load_from_cache  # late: see above

    path = try_to_load_from_cache(repository, file, cache_dir=cache(), revision=revision)
    return isinstance(path, str)


def digests(repository: str, revision: str, files: Iterable[str]) -> dict[str, str]:
    """The sha256 that the hub itself gives of the large ones among these files."""
    from huggingface_hub import HfApi  # late: see above

    api = HfApi(endpoint=endpoint())
    entries = api.get_paths_info(repository, list(files), revision=revision)
    large = {entry.path: getattr(entry, "lfs", None) for entry in entries}
    return {name: info.sha256 for name, info in large.items() if info is not None}


def fault(repository: str, revision: str | None, error: Exception) -> ResourceError | None:
    """What the hub said, as a sentence with what to do; None where it was not reached, or said
    nothing that helps."""
    from huggingface_hub import errors

    at = f"{endpoint()}/{repository}"
    for cause in _chain(error):
        if isinstance(cause, errors.RevisionNotFoundError):
            return ResourceError(
                f"the hub has no revision {revision} of {repository}: its history was rewritten; "
                f"look up a commit with the same files at {at}/commits/main and register it"
            )
        status = cause.response.status_code if isinstance(cause, errors.HfHubHTTPError) else 0
        if isinstance(cause, errors.GatedRepoError) or status == 403:
            return ResourceError(
                f"{repository} is given only to those who accept its licence; accept it at {at}, "
                "set HF_TOKEN to a token of that account and run again"
            )
        if isinstance(cause, errors.RepositoryNotFoundError) or status == 401:
            return ResourceError(
                f"the hub does not show {repository} to this account; accept its licence at {at} "
                "if it asks for that, set HF_TOKEN to a token of that account and run again"
            )
        if status >= 500 or status == 429:
            return ResourceError(
                f"the hub answered {status} for {repository}; run again later, what was "
                "downloaded is kept"
            )
        if type(cause).__name__.endswith("Timeout"):
            return ResourceError(
                f"the hub sent nothing of {repository} for as long as is waited; run again, or "
                "set HF_HUB_DOWNLOAD_TIMEOUT to more seconds"
            )
    return None


def _chain(error: BaseException | None) -> Iterable[BaseException]:
    """An error and those that it came from, the first cause last."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__
