"""A process that reads HDF5 files of strangers and writes them again, so that nothing which they do to it matters.

HDF5's library ends its process, or never returns, for some files. What comes from here was written by its own writer: the
groups, attributes and arrays that it found. Arrays that lie in the given file as plain numbers stay there, since any bytes
are numbers; only where they are is told.
"""

import json
import math
import resource
from typing import Any, Final, final

import h5py

from stratagem._base.reader_main import serve
from stratagem._base.spliced_file import Excerpt, SplicedFile

_METADATA_BLOCK: Final = 1 << 16  # bytes: what describes the arrays is together


def main() -> int:
    """Answers each request of the standard input, as `opened_hdf5` of `stratagem._private` sends it."""
    return serve(_answer)


def _answer(request: bytes) -> bytes:
    """Writes one file again: the handles of where it is and of the new file come, what stays where it is goes back."""
    facts = json.loads(request)
    resource.setrlimit(resource.RLIMIT_FSIZE, (facts["largest"], resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    try:
        found = _rewritten(facts)
    except Exception as error:  # of a parser of bytes, whatever it trips over
        kind = "" if isinstance(error, OSError | ValueError) else f"{type(error).__name__}: "
        return json.dumps({"problem": f"{kind}{error}"}).encode()
    return json.dumps({"excerpts": [[each.at, each.size, each.source] for each in found]}).encode()


def _rewritten(facts: dict[str, int]) -> list[Excerpt]:
    source, size = facts["source"], facts["size"]
    with (
        SplicedFile(source, source, [Excerpt(0, size, facts["at"])], size=size) as given,
        h5py.File(given, "r") as file,
        open(facts["target"], "r+b", buffering=0, closefd=False) as written,
        h5py.File(written, "w", libver="latest", meta_block_size=_METADATA_BLOCK) as copy,
    ):
        return _Copy(file, copy, size, facts["largest"]).excerpts


@final
class _Copy:
    """All that a file has, in another one.

    Raises ValueError for what is in further files, beyond the end of this one, or larger than `largest` bytes.
    """

    def __init__(self, file: h5py.File, copy: h5py.File, size: int, largest: int) -> None:
        self.excerpts: list[Excerpt] = []
        self._size, self._largest = size, largest
        self._names: dict[Any, str] = {
            self._place(file): "/"
        }  # where things are that a file may have under several names
        groups = [(file, copy)]
        _copy_attributes(file, copy)
        while groups:
            group, made = groups.pop()
            for name in group:
                link = group.get(name, getlink=True)
                if isinstance(link, h5py.ExternalLink):
                    raise ValueError(f"Not allowed: HDF5 file with a link to another file, {link.filename!r:.100}")
                if isinstance(link, h5py.SoftLink):
                    made[name] = h5py.SoftLink(link.path)
                elif (new := self._copied(group[name], made, name)) is not None:
                    groups.append(new)

    @staticmethod
    def _place(found: h5py.Group | h5py.Dataset | h5py.Datatype) -> Any:
        facts = h5py.h5o.get_info(found.id)
        return facts.fileno, facts.addr

    def _copied(
        self, found: h5py.Group | h5py.Dataset | h5py.Datatype, group: h5py.Group, name: str
    ) -> tuple[h5py.Group, h5py.Group] | None:
        """Puts a thing into a group. Returns it with the new one if it is a group, whose contents are still missing."""
        place = self._place(found)
        if place in self._names:
            group[name] = group[self._names[place]]
            return None
        made: Any = None
        if isinstance(found, h5py.Group):
            made = group.create_group(name)
        elif isinstance(found, h5py.Dataset):
            made = self._array(found, group, name)
        if made is None:  # a type, or an array of what no model has
            return None
        self._names[place] = made.name
        _copy_attributes(found, made)
        return (found, made) if isinstance(found, h5py.Group) else None

    def _array(self, found: h5py.Dataset, group: h5py.Group, name: str) -> h5py.Dataset | None:
        if found.external:
            raise ValueError(f"Not allowed: HDF5 file with external Dataset, {found.external[0][0]!r:.100}")
        if found.is_virtual:
            raise ValueError("Not allowed: HDF5 file with virtual Dataset")
        dtype = found.dtype
        if not _is_plain(dtype):
            return None
        if found.shape is None:
            return group.create_dataset(name, data=h5py.Empty(dtype))
        size = math.prod(found.shape) * dtype.itemsize
        as_file = h5py.h5t.py_create(dtype, logical=True)
        properties = found.id.get_create_plist()
        is_contiguous = properties.get_layout() == h5py.h5d.CONTIGUOUS and properties.get_nfilters() == 0
        at = found.id.get_offset() if is_contiguous and found.id.get_storage_size() else None
        if at is None or dtype.kind == "O" or size == 0 or as_file != found.id.get_type():
            if size > self._largest:
                raise ValueError(
                    f"its array {found.name!r:.100} would take {size} bytes of memory, far more than the file has"
                )
            return group.create_dataset(name, data=found[()], shape=found.shape, dtype=dtype)
        if size != found.id.get_storage_size() or at + size > self._size:
            raise ValueError(f"its array {found.name!r:.100} ends beyond the end of the file")
        made = h5py.h5d.create(
            group.id, name.encode(errors="surrogateescape"), as_file, h5py.h5s.create_simple(found.shape), _unwritten()
        )
        self.excerpts.append(Excerpt(made.get_offset(), size, at))
        return h5py.Dataset(made)


def _is_plain(dtype: Any) -> bool:
    """Returns whether values are bytes that mean nothing to HDF5, or texts of any length."""
    return not dtype.hasobject or h5py.check_string_dtype(dtype) is not None


def _unwritten() -> Any:
    """Properties of an array that has a place in its file, and no values there."""
    found = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    found.set_layout(h5py.h5d.CONTIGUOUS)
    found.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    found.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
    return found


def _copy_attributes(found: Any, made: Any) -> None:
    for name in found.attrs:
        kept = found.attrs.get_id(name)
        if not _is_plain(kept.dtype):
            continue
        if kept.shape is None:
            made.attrs[name] = h5py.Empty(kept.dtype)
        else:
            made.attrs.create(name, found.attrs[name], shape=kept.shape, dtype=kept.dtype)
