"""What is published of AndroidControl's test steps, and where."""

from snellen.tasks.data.release import Place, Release

FILE = "android_control_test.json"
_ARCHIVE = "android_control_test.tar.gz"

RELEASES = (Release("2025", "androidcontrol", "test", 8_444),)
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
