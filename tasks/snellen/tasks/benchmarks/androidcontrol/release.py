"""What is published of AndroidControl's test steps, and where."""

from snellen.tasks.data.release import Place, Release

FILE = "android_control_test.json"
UI_S1_FILE = "android_control_evaluation_std.jsonl"
_ARCHIVE = "android_control_test.tar.gz"

SPLIT, OS_ATLAS = "test", "os-atlas"
ROLE = "androidcontrol"
_UI_S1 = "8525f839390537260eac082ad8d562e0992e5e4774582f9def8b43af9d431c3f"
_UI_R1 = "699b15d6d96b214071af85afb960106bcfcff541fd72248168c7ec02d1417fc9"
RELEASES = (
    Release("2025", ROLE, SPLIT, 8_444),
    Release("2025", ROLE, OS_ATLAS, 7_708),
    # X-PLUG/MobileAgent 11cea57 and lll6gg/UI-R1 2fe9bf0, whose copies hold both splits.
    Release("UI-S1", "ui-s1", SPLIT, 8_444, _UI_S1),
    Release("UI-S1", "ui-s1", OS_ATLAS, 7_708, _UI_S1),
    Release("UI-R1", "ui-r1", SPLIT, 7_868, _UI_R1),
    Release("UI-R1", "ui-r1", OS_ATLAS, 7_174, _UI_R1),
)
# fmt: off
LEFT_OUT = frozenset(map(str, (
    45, 185, 406, 567, 727, 828, 1089, 1309, 1329, 1489, 1569, 1589, 1809, 1969, 2269, 3113, 3373,
    3715, 4216, 4336, 4516, 4657, 4979, 5019, 5199, 5741, 5806, 5902, 6048, 6304, 6404, 6424, 6449,
    6589, 6689, 6809, 6930, 7030, 7045, 7205, 7430, 7565, 7585, 7705, 7765, 8165, 8271, 8307, 8532,
    9072, 9112, 9307, 9609, 9634, 9935, 10095, 10235, 10255, 10612, 10693, 10738, 11014, 11135,
    11296, 11501, 11622, 11682, 12245, 12642, 12803, 12823, 12863, 13108, 13203, 13228, 13248,
    13428, 13468, 13651, 13686, 13731, 13746, 13806, 13846, 13886, 14107, 14172, 14454, 14495,
    14670, 14735, 14815, 15017, 15032, 15057, 15419, 15594, 15634, 15801, 15981, 16002, 16022,
    16579, 16584, 16705, 17169, 17325, 17410, 17510, 17611, 17712, 17807, 17953, 18068, 18173,
    18488, 18513, 18654, 18875, 18950, 18991, 19251, 19551, 19636, 19657, 19697, 19812, 19817,
    19877, 19897, 20033,
)))
# fmt: on
"""The 131 episodes of the test split that OS-Atlas's evaluation lacks, and with it GUI-R1's.

Source: OS-Atlas bad0840, `eval/data/ac_idx.txt`, which names the 7,708 steps of the other 1,412.
"""


def role_of(sha256: str) -> str:
    """Return the copy that a file is, by its digest."""
    return next((release.role for release in RELEASES if release.sha256 == sha256), ROLE)


PLACE = Place(
    "androidcontrol",
    "huggingface.co",
    "Reallm-Labs/android_control_test",
    "Apache 2.0",
    tasks={"high": (_ARCHIVE,), "low": (_ARCHIVE,)},
    images_inside=True,
    sha256={_ARCHIVE: "731037cf4f7e9a9f75ddf8cb58b4041e24118b785aaa4651d6d479d066d0f061"},
    revision="92bf0d54e371474bff2a94dd93f087ec6940b54d",
    note="one archive of 6.4 GB with the steps and the screenshots: unpack it;"
    " the data set is also named InfiX-ai/android_control_test",
)
