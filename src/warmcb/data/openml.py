"""Data sets of OpenML, which the client of scikit-learn downloads at first use."""

import gzip
import json
import socket
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse

from warmcb.data.dataset import Dataset, encode_labels
from warmcb.data.remarks import dropped_rows_remark, missing_remarks
from warmcb.errors import DataError

_PATIENCE = 60.0  # seconds to wait for a silent server

PAPER_IDS = (
    3, 6, 8, 10, 11, 12, 14, 16, 18, 20, 21, 22, 23, 26, 28, 30, 31, 32, 36, 37, 39, 40, 41, 43, 44, 46, 48, 50, 53,
    54, 59, 60, 61, 62, 150, 151, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 180, 181, 182, 183, 184, 187, 189,
    197, 209, 223, 227, 273, 275, 276, 277, 278, 279, 285, 287, 292, 293, 294, 298, 300, 307, 310, 312, 313, 329, 333,
    334, 335, 336, 337, 338, 339, 343, 346, 351, 354, 357, 375, 377, 383, 384, 385, 386, 387, 388, 389, 390, 391, 392,
    393, 394, 395, 396, 397, 398, 399, 400, 401, 444, 446, 448, 450, 457, 458, 459, 461, 462, 463, 464, 465, 467, 468,
    469, 472, 475, 476, 477, 478, 479, 480, 554, 679, 682, 683, 685, 694, 713, 714, 715, 716, 717, 718, 719, 720, 721,
    722, 723, 724, 725, 726, 727, 728, 729, 730, 731, 732, 733, 734, 735, 736, 737, 740, 741, 742, 743, 744, 745, 746,
    747, 748, 749, 750, 751, 752, 753, 754, 755, 756, 758, 759, 761, 762, 763, 764, 765, 766, 767, 768, 769, 770, 771,
    772, 773, 774, 775, 776, 777, 778, 779, 780, 782, 783, 784, 785, 787, 788, 789, 790, 791, 792, 793, 794, 795, 796,
    797, 799, 800, 801, 803, 804, 805, 806, 807, 808, 811, 812, 813, 814, 815, 816, 817, 818, 819, 820, 821, 822, 823,
    824, 825, 826, 827, 828, 829, 830, 832, 833, 834, 835, 836, 837, 838, 841, 843, 845, 846, 847, 848, 849, 850, 851,
    853, 855, 857, 859, 860, 862, 863, 864, 865, 866, 867, 868, 869, 870, 871, 872, 873, 874, 875, 876, 877, 878, 879,
    880, 881, 882, 884, 885, 886, 888, 891, 892, 893, 894, 895, 896, 900, 901, 902, 903, 904, 905, 906, 907, 908, 909,
    910, 911, 912, 913, 914, 915, 916, 917, 918, 919, 920, 921, 922, 923, 924, 925, 926, 927, 928, 929, 931, 932, 933,
    934, 935, 936, 937, 938, 941, 942, 943, 945, 946, 947, 948, 949, 950, 951, 952, 953, 954, 955, 956, 958, 959, 962,
    964, 965, 969, 970, 971, 973, 974, 976, 977, 978, 979, 980, 983, 987, 988, 991, 994, 995, 996, 997, 1004, 1005,
    1006, 1009, 1011, 1012, 1013, 1014, 1015, 1016, 1019, 1020, 1021, 1022, 1025, 1026, 1036, 1038, 1040, 1041, 1043,
    1044, 1045, 1046, 1048, 1049, 1050, 1054, 1055, 1056, 1059, 1060, 1061, 1062, 1063, 1064, 1065, 1066, 1067, 1068,
    1069, 1071, 1073, 1075, 1077, 1078, 1079, 1080, 1081, 1082, 1083, 1084, 1085, 1086, 1087, 1088, 1100, 1104, 1106,
    1107, 1110, 1113, 1115, 1116, 1117, 1120, 1121, 1122, 1123, 1124, 1125, 1126, 1127, 1128, 1129, 1130, 1131, 1132,
    1133, 1135, 1136, 1137, 1138, 1139, 1140, 1141, 1142, 1143, 1144, 1145, 1146, 1147, 1148, 1149, 1150, 1151, 1152,
    1153, 1154, 1155, 1156, 1157, 1158, 1159, 1160, 1161, 1162, 1163, 1164, 1165, 1166, 1169, 1216, 1217, 1218, 1233,
    1235, 1236, 1237, 1238, 1241, 1242, 1412, 1413, 1441, 1442, 1443, 1444, 1449, 1451, 1453, 1454, 1455, 1457, 1459,
    1460, 1464, 1467, 1470, 1471, 1472, 1473, 1475, 1481, 1482, 1483, 1486, 1487, 1488, 1489, 1496, 1498,
)  # fmt: skip
"""The ids of the 524 data sets of the paper."""


def load_openml(openml_id: int, cache: Path | None = None) -> Dataset:
    """Read a data set from the cache, or download it. Its name is that of OpenML, followed by the id.

    The checksum of the file is verified each time, and a damaged file is downloaded again. Files are in the folder
    `openml` of `cache`, which is the user's cache for this package by default. All errors become a `DataError`.
    """
    content = _fetch(openml_id, cache or default_cache())
    name = f"{content.details['name']}-{openml_id}"
    target = content.details.get("default_target_attribute")
    if target not in content.feature_names:
        raise DataError(f"openml:{openml_id} has the default target {target!r}; expected the name of one column")
    if sparse.issparse(content.data):
        return _from_sparse(name, content, target)
    return Dataset.from_table(name, _table(content.data, content.feature_names, content.categories), target)


def default_cache() -> Path:
    """The user's cache folder for this package."""
    import platformdirs

    return platformdirs.user_cache_path("warmcb")


def cached(cache: Path | None = None) -> dict[int, str]:
    """The data sets whose files are in the cache: their names on OpenML, by id."""
    root = (cache or default_cache()) / "openml" / "openml.org"
    found = {}
    for path in root.glob("api/v1/json/data/*.gz"):
        with suppress(Exception):  # a damaged description is downloaded again when it is needed
            description = json.loads(gzip.decompress(path.read_bytes()))["data_set_description"]
            if (root / f"{urlparse(description['url']).path.lstrip('/')}.gz").exists():
                found[int(description["id"])] = str(description["name"])
    return found


def _fetch(openml_id: int, cache: Path) -> Any:
    from sklearn.datasets import fetch_openml  # the import takes a second

    try:
        with _quiet_and_patient():
            # The target stays among the columns. If the client splits it off, it must have no missing values, and
            # values that sparse rows leave out are uninitialised memory.
            return fetch_openml(
                data_id=openml_id,
                data_home=cache,
                target_column=None,
                as_frame=False,
                parser="liac-arff",
                n_retries=1,
                delay=0.5,
            )
    except Exception as error:  # no network, no such id, a wrong checksum, or any error of the parser
        raise DataError(f"openml:{openml_id} cannot be loaded: {_reason(error)}") from error


@contextmanager
def _quiet_and_patient() -> Iterator[None]:
    """Silence the warnings of the client about retries and old versions, and set a timeout, as it has none."""
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(_PATIENCE)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        socket.setdefaulttimeout(before)


def _reason(error: Exception) -> str:
    """The first sentence of the client's message; the rest is advice for its direct callers."""
    try:
        text = " ".join(str(error).split()).split(". ")[0].rstrip(".")
    except Exception:  # some errors of the parser cannot be printed
        text = ""
    return text if " " in text else f"{type(error).__name__} {text}".rstrip()


def _table(columns: NDArray[np.float64], names: list[str], categories: dict[str, list[str]]) -> pl.DataFrame:
    """The table of the client's numbers. For a nominal column, they are indices into the list of its levels."""
    return pl.DataFrame(
        {
            name: _texts(column, categories[name]) if name in categories else pl.Series(column, nan_to_null=True)
            for name, column in zip(names, columns.T, strict=True)
        }
    )


def _texts(codes: NDArray[np.float64], levels: list[str]) -> pl.Series:
    missing = np.isnan(codes)
    texts = pl.Series(levels, dtype=pl.String).gather(np.where(missing, 0, codes).astype(np.int64))
    return texts.set(pl.Series(missing), None)


def _from_sparse(name: str, content: Any, target: str) -> Dataset:
    """As `Dataset.from_table`, but numbers stay sparse: a data set of words may have ten thousands of columns."""
    columns = sparse.csc_array(content.data)
    is_number = np.array([column != target and column not in content.categories for column in content.feature_names])
    others = np.array(content.feature_names)[~is_number].tolist()
    table = _table(columns[:, ~is_number].toarray(), others, content.categories)
    labelled = table[target].is_not_null().to_numpy()
    table = table.filter(labelled)
    parts: list[Any] = [columns[:, is_number].tocsr()[labelled]]
    if table.width > 1:
        from sklearn.preprocessing import OneHotEncoder

        parts.append(OneHotEncoder(dtype=np.float32).fit_transform(table.drop(target).to_numpy()))
    with np.errstate(over="ignore", under="ignore"):  # numbers that overflow are refused later, with their place
        X = sparse.csr_array(sparse.hstack(parts), dtype=np.float32)
    missing = np.isnan(X.data)
    # Numeric columns come first in X, so an index of a column of X is also an index into their names.
    places, counts = np.unique(X.indices[missing], return_counts=True)
    numbers = np.array(content.feature_names)[is_number]
    missing_numbers = {str(numbers[place]): int(count) for place, count in zip(places, counts, strict=True)}
    missing_levels = {series.name: series.null_count() for series in table.drop(target) if series.null_count()}
    X.data[missing] = 0
    X.eliminate_zeros()
    y, classes = encode_labels(table[target].to_numpy())
    dropped = len(labelled) - len(table)
    remarks = [dropped_rows_remark(dropped)] if dropped else []
    remarks += missing_remarks(missing_numbers, missing_levels)
    return Dataset(name, X, y, classes, target=target, remarks=tuple(remarks))
