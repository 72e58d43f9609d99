"""A vesicle from nothing: placed, pushed apart, written, drawn. In a notebook the last line of ``main`` shows the picture.

    python vesicle_with_a_picture.py [FOLDER]
"""

import sys
from pathlib import Path

import steric


def main(folder: str | Path = ".") -> steric.Picture | None:
    vesicle = steric.relaxation("vesicle", count=500, area_per_lipid=72, seed=5)
    report = vesicle.run()
    print(vesicle, "clean:", report.is_clean)
    print("atoms written:", vesicle.model().write(Path(folder) / "vesicle.cif"))
    try:
        picture = vesicle.render(size=(640, 480), color="leaflet", clip="front")
    except RuntimeError as error:
        print("no picture:", error)
        return None
    picture.save(Path(folder) / "vesicle.png")
    print(picture, "to vesicle.png")
    return picture


if __name__ == "__main__":
    main(*sys.argv[1:2])
