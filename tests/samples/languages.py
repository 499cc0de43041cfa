"""Sentences of documents in each language of the site, and queries of readers."""

# By the tag of a language: a sentence, and queries whose words are all in it.
SENTENCES = {
    "en": (
        "Don't rotate the service's keys during an outage.",
        ["dont rotate", "OUTAGE", "don’t"],
    ),
    "de": (
        "Die Störung betrifft den Schlüsselspeicher in der Großen Straße.",
        ["storung", "schlusselspeicher", "GROSSEN STRASSE", "große"],
    ),
    "fr": (
        "L’incident a été résolu dès qu’Élodie a relancé l'API de l'hôte.",
        ["incident", "resolu", "elodie", "ELODIE", "hote", "l'incident", "api"],
    ),
    "es": (
        "Añade la contraseña del año y reinicia la máquina según el código.",
        ["contrasena", "AÑADE", "maquina", "codigo", "ano"],
    ),
    "pt-BR": (
        "A manutenção começará às três; não haverá serviço de autenticação.",
        ["manutencao", "comecara", "TRES", "servico", "autenticação"],
    ),
    "it": (
        "Perché l'aggiornamento dell’API è più lento dell'altro?",
        ["perche", "aggiornamento", "api", "piu", "ALTRO", "dell'API"],
    ),
    "nl": (
        "De coördinatie van geüploade foto's duurt één dag.",
        ["coordinatie", "geuploade", "fotos", "foto’s", "een"],
    ),
    "pl": (
        "Łączność z usługą została przywrócona; błąd usunięto w źródle.",
        ["lacznosc", "usluga", "BLAD", "zrodle", "źródle"],
    ),
    "cs": (
        "Příliš žluťoučký kůň hlásí výpadek údržby v úložišti.",
        ["prilis zlutoucky kun", "VÝPADEK", "vypadek", "ulozisti"],
    ),
    "tr": (
        "İSTANBUL'daki sunucu ışık hızında yanıt veriyor; ığdır çöktü.",
        ["istanbul", "ISTANBUL", "İstanbul", "isik", "IŞIK", "yanit", "coktu"],
    ),
    "uk": (
        "Підключення об’єкта відновлено, ґанок і Їжак без змін.",
        ["об'єкта", "обʼєкта", "підключення", "їжак", "ЇЖАК"],
    ),
    "ru": (
        "Всё ещё идёт приём заявок; за́мок и замо́к, объект в Йошкар-Оле.",
        ["все еще идет", "прием", "замок", "ОБЪЕКТ", "йошкар"],
    ),
    "ar": (
        "تَمَّ إِصْلاحُ الخِدْمَةِ فِي المكتبة على مستوى الشــبكة، إلى ٢٠٢٦.",
        ["تم اصلاح", "الخدمة", "خدمه", "خدمة", "مكتبة", "مستوي", "شبكة", "2026"],
    ),
    "he": (
        "הַשֵּׁרוּת שׁוּחְזַר בתל־אביב לפי צה״ל וג׳ירפה.",
        ["השרות", "שוחזר", "בתל אביב", "בתל-אביב", "צה״ל", "וג'ירפה"],
    ),
    "hi": (
        "हिन्दी में सेवा की ज़रूरत है; सम्पर्क करें, माँग बढ़ी, सन् २०२६।",
        ["हिंदी", "हिन्दी", "जरूरत", "ज़रूरत", "संपर्क", "मांग", "बढी", "2026"],
    ),
    "id": (
        "Layanan-layanan sudah pulih; coba masukkan kata sandi Anda lagi.",
        ["layanan", "layanan-layanan", "KATA SANDI", "anda"],
    ),
    "vi": (
        "Đường truyền đã được khôi phục sau sự cố Nguyễn Huệ.",
        ["duong truyen", "da duoc khoi phuc", "SU CO", "đường", "nguyen hue"],
    ),
    "ja": (
        "ｻｰﾊﾞｰの障害は人々に通知され、ガイドで「ＡＰＩ」の使い方を説明します。",
        ["サーバー", "障害", "人々", "api", "API", "使い方", "ガイド"],
    ),
    "ko": (
        "서비스가 복구되었습니다. 사용자는 문서에서 키를 확인할 수 있습니다.",
        ["서비스", "복구", "사용자", "문서", "확인", "키"],
    ),
    "zh-Hans": (
        "服务已恢复，请在控制台的API密钥页面更新密钥。",
        ["服务", "恢复", "控制台", "api密钥", "密钥", "更新"],
    ),
    "zh-Hant": (
        "服務已恢復，請於控制台的 API 金鑰頁面更新金鑰。",
        ["服務", "恢復", "控制台", "api", "金鑰", "頁面"],
    ),
}
