"""Names in several scripts that repeat, streets without numbers, and coordinates."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.detect import find_identifiers, look_at
from tests.detect.finding import found

N = 300
DRAW = np.random.default_rng(12)
PEOPLE = {
    "Russian": "Иванов Иван|Петрова Мария|Сидоренко Олег|Кузнецов Пётр|Смирнова Анна|Попов Сергей"
    "|Волкова Ольга|Лебедев Дмитрий|Козлова Елена|Новиков Андрей|Морозова Наталья|Зайцев Павел",
    "Russian given names": "Иван|Мария|Олег|Пётр|Анна|Сергей|Ольга|Дмитрий|Елена|Андрей|Наталья|Павел",
    "Greek": "Γιώργος Παπαδόπουλος|Μαρία Νικολαΐδου|Κώστας Γεωργίου|Ελένη Δημητρίου|Νίκος Παππάς|Σοφία Ιωάννου"
    "|ΔΗΜΗΤΡΗΣ ΑΝΤΩΝΙΟΥ|Άννα Βασιλείου|Ιωάννης Οικονόμου|Κατερίνα Αλεξίου",
    "Arabic": "محمد أحمد|فاطمة علي|خالد حسن|عائشة محمود|يوسف إبراهيم|مريم سالم|عمر عبد الله|زينب حسين"
    "|علي كريم|سارة ناصر",
    "Hebrew": "כהן|לוי|מזרחי|פרץ|ביטון|דהן|אברהם|מלכה|אזולאי|כץ|יוסף",
    "Hindi": "राहुल शर्मा|प्रिया वर्मा|अमित कुमार|सुनीता देवी|राजेश गुप्ता|अनीता सिंह|विजय यादव|पूजा मिश्रा|संजय पटेल|रेखा जोशी",
    "Vietnamese": "Nguyễn Văn An|Trần Thị Bình|Lê Hoàng Nam|Phạm Minh Châu|Vũ Đức Huy|Đặng Thu Hà|Bùi Quang Khải"
    "|Hoàng Lan|Phan Gia Bảo|Đỗ Mai",
    "Chinese": "王伟|李娜|张敏|刘洋|陈静|杨勇|赵磊|黄丽|周杰|吴强|徐芳|孙涛",
    "Korean": "김민준|이서연|박지훈|최수빈|정하은|강도윤|조예린|윤시우|장지우|임하준",
}
WORDS = {
    "Russian": "красный|синий|зелёный|жёлтый|белый|чёрный|серый|розовый|голубой|коричневый",
    "Arabic": "أحمر|أزرق|أخضر|أصفر|أبيض|أسود|رمادي|وردي|بني|بنفسجي",
    "Chinese": "红色|蓝色|绿色|紫色|灰色|粉色|棕色|橙色|黑色|银色",
}
STREETS = (
    "Calle Mayor|Bahnhofstraße|Rosenweg|Church Lane|Paseo del Prado|Rue Victor Hugo|Via Roma|Elm Road|Mill Close"
    "|Kirchplatz"
)


@pytest.mark.parametrize("language", PEOPLE)
def test_names_are_known_in_other_scripts(language: str) -> None:
    assert "of its values look like names of people" in str(found("v1", DRAW.choice(PEOPLE[language].split("|"), N)))


@pytest.mark.parametrize("language", WORDS)
def test_words_of_other_scripts_are_no_names(language: str) -> None:
    assert found("v1", DRAW.choice(WORDS[language].split("|"), N)) is None


@pytest.mark.parametrize("name", ["Фамилия", "ФИО", "имя_пациента", "Επώνυμο"])
def test_columns_of_names_are_known_by_their_name_in_other_scripts(name: str) -> None:
    assert (
        found(name, DRAW.choice(["xa", "yb", "zc", "ud", "we"], N)) == "its name says that it names or reaches people"
    )


def test_streets_are_found_without_numbers() -> None:
    assert found("v1", DRAW.choice(STREETS.split("|"), N)) == "100 % of its values look like streets"


def test_addresses_are_known_in_other_scripts() -> None:
    streets = DRAW.choice(["Ленина", "Пушкина", "Мира", "Гагарина", "Садовая", "Лесная", "Новая", "Школьная"], N)
    addresses = [f"ул. {street}, д. {number % 20}" for number, street in enumerate(streets)]
    assert found("v1", addresses) == "100 % of its values look like postal addresses"


def test_latitudes_are_found_alone() -> None:
    assert "degrees of latitude or longitude" in str(found("v1", DRAW.normal(41.4, 0.1, N).round(6)))
    assert "those of coordinates" in str(found("x_lon", DRAW.normal(2.1, 0.1, N).round(4)))


def test_measurements_side_by_side_are_no_coordinates() -> None:
    frame = pd.DataFrame({"hct": DRAW.normal(41, 2, N).round(4), "hgb": DRAW.normal(14, 1, N).round(4)})
    data = mv.Microdata(frame)
    assert find_identifiers([look_at(data.narwhal.get_column(name)) for name in frame.columns]) == {}


@pytest.mark.parametrize("name", ["rechtswert", "hochwert", "Ostwert_25833"])
def test_coordinates_in_metres_are_known_by_their_names(name: str) -> None:
    assert found(name, DRAW.integers(3_400_000, 3_900_000, N)) == "its name and its values are those of coordinates"


@pytest.mark.parametrize(
    "people", ["Frau Meier|Herr Kaya|Frau Öztürk|Herr van Dyk", "Dr. Kaya|Prof. Dr. Lind", "Mme Roux"]
)
def test_whoever_has_a_title_has_a_name_however_few_there_are(people: str) -> None:
    assert "names of people" in str(found("klassenlehrer", DRAW.choice(people.split("|"), N)))


@pytest.mark.parametrize("others", ["Frau|Herr", "Mr|Mrs|Ms", "Dr|Prof|none", "drive|walk", "M north|M south"])
def test_titles_alone_are_no_names(others: str) -> None:
    assert found("anrede", DRAW.choice(others.split("|"), N)) is None
