"""Questions in German, French and Chinese over code whose comments are in that language: no worse than words alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.checkouts import Checkout
from benchmarks.ours import Ours, open_ours
from repositories import create
from tobler_pack.evidence.channels import lexical
from tobler_pack.evidence.question import Question
from tobler_pack.weighing.weights import Floats

# For each topic a function, its comment, and a question that shares some of its words or none.
TOPICS = {
    "de": (
        ("load_users", "Lädt alle Benutzer aus der Datenbank und ordnet sie.", "Benutzer aus Datenbank laden"),
        ("send_mail", "Verschickt eine Nachricht an den Empfänger.", "wie wird eine Nachricht verschickt"),
        ("check_password", "Prüft das Kennwort gegen den gespeicherten Wert.", "Prüfung des Kennworts"),
        ("resize", "Verkleinert ein Bild, ohne das Seitenverhältnis zu ändern.", "Bilder verkleinern"),
        ("total", "Berechnet die Summe der Bestellung mit Steuern und Rabatt.", "Summe einer Bestellung mit Rabatt"),
        ("retry", "Wiederholt den Aufruf, wenn die Verbindung abbricht.", "was geschieht ohne Verbindung"),
        ("to_csv", "Schreibt die Tabelle als Textdatei mit Trennzeichen.", "Tabelle in eine Datei schreiben"),
        ("clean", "Löscht veraltete Einträge aus dem Zwischenspeicher.", "veraltete Einträge löschen"),
    ),
    "fr": (
        ("load_users", "Charge tous les utilisateurs de la base de données.", "charger les utilisateurs de la base"),
        ("send_mail", "Envoie un message au destinataire et retient l'erreur.", "comment un message est-il envoyé"),
        ("check_password", "Vérifie le mot de passe contre la valeur enregistrée.", "vérification du mot de passe"),
        ("resize", "Réduit une image sans changer ses proportions.", "réduire des images"),
        ("total", "Calcule la somme de la commande avec taxes et remise.", "somme d'une commande avec remise"),
        ("retry", "Répète l'appel après une pause quand la connexion est coupée.", "quand la connexion est coupée"),
        ("to_csv", "Écrit le tableau dans un fichier texte avec des séparateurs.", "écrire un tableau dans un fichier"),
        ("clean", "Supprime les entrées périmées du cache.", "supprimer des entrées périmées"),
    ),
    "zh": (
        ("load_users", "从数据库加载所有用户并按名称排序", "加载数据库中的用户"),
        ("send_mail", "向收件人发送消息并记录错误", "消息是怎么发送的"),
        ("check_password", "检查密码是否与保存的值一致", "密码检查"),
        ("resize", "缩小图片但不改变比例", "图片缩小"),
        ("total", "计算订单的总价,包括税和折扣", "订单总价和折扣"),
        ("retry", "连接中断时等待一会儿再重试", "连接中断以后怎么办"),
        ("to_csv", "把表格写成带分隔符的文本文件", "表格写入文件"),
        ("clean", "删除缓存中过期的条目", "删除过期条目"),
    ),
}  # fmt: skip


def _code(name: str, comment: str) -> str:
    lines = [f"def {name}(value, other):", f'    """{comment}"""']
    lines += [f"    step_{at} = other.apply(value, {at})" for at in range(6)]
    return "\n".join([*lines, "    return step_5", ""])


@pytest.fixture(params=list(TOPICS))
def asked(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Ours, str]:
    language = request.param
    root = create(tmp_path, {f"part_{at}.py": _code(*topic[:2]) for at, topic in enumerate(TOPICS[language])})
    return open_ours(Checkout("shop", root, "HEAD")), language


def _reciprocal(scores: Floats, at: int) -> float:
    """Of the rank; what ties with it stands before it."""
    return float(1 / np.sum(scores >= scores[at]))


def test_no_worse_than_words_alone(asked: tuple[Ours, str]) -> None:
    ours, language = asked
    index = ours.workspace.library.index
    places = [index.files[at].path for at in index.chunk_file.tolist()]
    blended: list[float] = []
    by_words: list[float] = []
    for number, (_, _, question) in enumerate(TOPICS[language]):
        at = places.index(f"part_{number}.py")
        blended.append(_reciprocal(ours.standing(question), at))
        by_words.append(_reciprocal(lexical(index, Question(question)), at))
    assert sum(blended) >= sum(by_words)
    assert sum(blended) / len(blended) >= 0.9
