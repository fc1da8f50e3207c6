/**
 * The same meanings in languages of eastern Europe, as in `english-words.ts`: no accents on Latin letters, `_` in phrases, `*` after a stem. Short words
 * that are also English ones are left out.
 */
export const easternWords: readonly Readonly<Record<string, string>>[] = [
  {
    // Polish, Czech
    IGNORE:
      "zignoruj ignoruj zignorujcie zapomnij pomin pomijaj odrzuc obejdz nie_przestrzegaj lekcewaz ignorujte zapomen zapomente nerespektuj preskoc",
    PRIOR:
      "poprzednie poprzednich wczesniejsze wczesniejszych powyzsze powyzszych dotychczasowe dotychczasowych dotychczas wczesniej predchozi predesle vyse_uvedene dosavadni puvodni pierwotne",
    ALL: "wszystkie wszystkich wszelkie kazde vsechny vsech veskere",
    EVERYTHING: "wszystko wszystkim vse vsechno to_co",
    TOLD: "powiedziano powiedzieli otrzymales kazano receno rekli dostales",
    RULES:
      "instrukcje instrukcji polecenia polecen zasady zasad zasadach reguly regul regulach instrukcjach wytyczne wytycznych ograniczenia ograniczen instrukce pokyny pravidla pokynu pravidel omezeni dyrektywy",
    YOUR: "twoje twoj swoje swoj swoich swoj twoich tve svuj svoje tvoje",
    SYSPROMPT:
      "prompt_systemowy promptu_systemowego wiadomosc_systemowa instrukcje_systemowe komunikat_systemowy systemovy_prompt systemovou_zpravu systemove_instrukce prompt_systemu polecenie_systemowe",
    REVEAL:
      "pokaz ujawnij wyswietl podaj wypisz powtorz zdradz wydrukuj napisz ukaz zobraz vypis prozrad sdel vytiskni powiedz",
    SEND: "wyslij wyslac przeslij przekaz odeslij poslij odesli posli nahraj opublikuj",
    SECRET:
      "haslo hasla hasel klucz klucze kluczy klucz_api klucze_api sekret sekrety dane_logowania heslo hesla klic klice tajemstvi poswiadczenia zmienne_srodowiskowe token tokeny",
    PRIVATE: "dane pliki plikow zawartosc historie rozmowy soubory obsah konverzace historii wiadomosci",
    NOT: "nie nigdy zadnych nikdy zadne",
    TELL: "mow powiedz informuj wspominaj ujawniaj ostrzegaj pytaj rikej zminuj informuj neinformuj nerikej powiadamiaj nezminuj neptej",
    USER: "uzytkownikowi uzytkownika uzytkownik nikomu uzivateli uzivatele uzivatel",
    QUIET: "potajemnie po_cichu ukryj ukradkiem tajne skryj",
    RUN: "uruchom wykonaj zainstaluj spust proved nainstaluj",
    WITHOUT: "bez",
    APPROVAL: "pytania zgody potwierdzenia zatwierdzenia potvrzeni souhlasu pytania_o_zgode svoleni",
    BECOME:
      "jestes_teraz teraz_jestes od_teraz_jestes udawaj zachowuj_sie odgrywaj odpowiadaj nie_jestes_juz jsi_nyni od_ted_jsi predstirej",
    FREE: "bez_ograniczen bez_zasad bez_filtrow bez_cenzury bez_zadnych_zasad bez_zadnych_ograniczen bez_omezeni bez_pravidel bez_filtru nieograniczony",
    ALWAYS: "zawsze od_teraz odtad na_zawsze vzdy od_ted navzdy",
    REMEMBER: "zapamietaj zapisz zapamatuj uloz",
    MEMORY: "pamieci pamiec pameti",
    DESTROY: "usun skasuj wymaz smaz vymaz odstran",
    GOODS: "pliki baze_danych dysk repozytorium soubory databazi katalog",
    DISABLE: "wylacz dezaktywuj obejdz vypni deaktivuj",
    GUARD: "zabezpieczenia filtry_bezpieczenstwa kontrole_bezpieczenstwa bezpieczenstwa filtry bezpecnostni",
    MODEL: "asystent asystencie model_jezykowy asistent asistente",
    OUT: "serwer serwera adres",
  },
  {
    // Romanian, Hungarian
    IGNORE: "ignora ignorati uita uitati nu_tine_cont hagyd figyelmen felejtsd felejts hagyd_figyelmen",
    PRIOR: "anterioare precedente de_mai_sus anterior korabbi elozo eddigi fenti",
    ALL: "toate tuturor minden osszes az_osszes",
    EVERYTHING: "tot mindent",
    TOLD: "spus mondtak mondott",
    RULES:
      "instructiunile instructiuni regulile reguli utasitast utasitasokat utasitas szabalyt szabalyokat utasitasaidat restrictiile",
    YOUR: "tale tau ta rendszered",
    SYSPROMPT:
      "promptul_de_sistem promptul_sistemului mesajul_de_sistem rendszerpromptot rendszeruzenetet rendszerprompt rendszerpromptodat mesajul_sistemului",
    REVEAL: "arata afiseaza dezvaluie spune mutasd ird_ki add_meg arulj fedd_fel",
    SEND: "trimite trimiteti kuldd kuldj toltsd",
    SECRET: "parola parolele cheia cheile cheia_api jelszot jelszavakat kulcsot api-kulcsot jelszo",
    NOT: "niciodata soha ne",
    TELL: "spune mentiona anunta mondd emlitsd",
    USER: "utilizatorului utilizatorul felhasznalonak felhasznalo",
    RUN: "executa ruleaza futtasd hajtsd",
    WITHOUT: "fara nelkul",
    APPROVAL: "confirmare permisiune aprobare megerosites engedely jovahagyas",
    BECOME: "acum_esti esti_acum prefa-te mostantol te_most",
    FREE: "fara_restrictii fara_reguli fara_limite korlatok_nelkul szabalyok_nelkul",
    OUT: "serverul",
  },
  {
    // Russian, Ukrainian
    APPLY: "действуют",
    FOLLOW: "следуй* соблюдай* выполняй* дотримуйся",
    IGNORED: "отменен* отменён* недействительн* аннулирован* скасован*",
    OBEY: "подчиняйся подчиняйтесь слушайся повинуйся",
    IGNORE:
      "не_обращай_внимания не_обращайте_внимания игнориру* проигнориру* забудь забудьте забыть отбрось* отмени* пренебрег* обойди* не_следуй* ігнору* проігнору* забудь відкинь* нарушь* перестань*",
    PRIOR:
      "предыдущ* прежн* ранее ранн* выше вышеуказан* вышеизложен* до_этого раньше попередн* вище раніше изначальн* первоначальн* исходн* до_сих",
    ALL: "все всех всем всю любые любых каждый усі всі будь-які весь",
    EVERYTHING: "всё все всего усе",
    TOLD: "сказан* говорил* данн* получен* велел* сказал* казал*",
    RULES:
      "инструкци* указани* правил* директив* ограничени* команд* промпт* установк* інструкці* вказівк* обмежен* запрет* принцип* предписани*",
    YOUR: "твои твоих твой твоё свои своих свой ваши ваших тебе вам твої свої",
    SYSPROMPT:
      "системный_промпт системного_промпта системное_сообщение системные_инструкции системную_инструкцию системных_инструкций системный_запрос системную_подсказку системная_инструкция скрытые_инструкции секретные_инструкции внутренние_инструкции системний_промпт системне_повідомлення системные_указания исходный_промпт начальный_промпт",
    REVEAL:
      "покажи* выведи* раскрой* раскры* напечатай* скажи* назови* сообщи* повтори* дай* напиши* выдай* распечатай* розкрий* виведи* перечисли* расскажи* отобрази*",
    SEND: "отправ* пришли* загрузи* перешли* передай* вышли* опубликуй* выложи* скопируй* скинь* надішли* відправ* пошли* слей",
    SECRET: "парол* ключ* токен* секрет* учетн* учётн* логин* переменн* доступы креденшл* кред*",
    PRIVATE: "данные данных файл* содержим* переписк* истори* контакт* сообщени* дані вміст разговор* диалог*",
    NOT: "не никогда нельзя ни ніколи нікому никому",
    TELL: "говори* сообщай* упоминай* рассказывай* уведомляй* предупреждай* показывай* спрашивай* запрашивай* кажи* повідомляй* раскрывай* знал узнал* сообщать говорить упоминать",
    USER: "пользовател* юзер* человек* користувач* клиент*",
    QUIET: "тайно скрытно незаметно втайне скрой* скрывай* тихо таємно приховай* молча",
    RUN: "выполни* запусти* исполни* выполняй* запускай* установи* виконай* скачай*",
    WITHOUT: "без",
    APPROVAL: "подтвержден* разрешен* одобрен* согласи* спрос* запрос* підтвердження дозволу",
    BECOME:
      "теперь_ты ты_теперь отныне_ты с_этого_момента_ты притворись* представь* веди_себя действуй_как сыграй* тепер_ти ты_больше_не отвечай* вообрази*",
    FREE: "без_ограничений без_правил без_фильтров без_цензуры без_каких-либо_ограничений без_всяких_ограничений без_обмежень без_морали без_этики нет_правил нет_ограничений без_запретов",
    ALWAYS: "всегда отныне впредь каждый_раз навсегда постоянно завжди с_этого_момента",
    REMEMBER: "запомни* сохрани* запиши* запам'ятай*",
    MEMORY: "память памяти",
    DESTROY: "удали* сотри* уничтож* видали* очисти* снеси",
    GOODS: "файл* базу базы диск* репозитори* резервн* бэкап* папк* каталог*",
    DISABLE: "отключи* выключи* обойди* деактивируй* сними* вимкни*",
    GUARD: "песочниц* проверк* фильтр* защит* безопасност* модераци* аудит*",
    MODEL: "ии нейросеть ассистент* помощник* модель агент* ии-ассистент* ии-агент* чат-бот*",
    OUT: "сервер* адрес* почту вебхук*",
    MONEY: "деньги денег рубл* средства",
    BUY: "переведи* оплати* купи*",
  },
  {
    // Greek
    IGNORE: "αγνοησε αγνοηστε αγνόησε αγνοήστε ξέχασε ξεχάστε παράβλεψε",
    PRIOR: "προηγουμεν* προηγούμεν* παραπάνω πριν",
    ALL: "όλες όλα κάθε όλους",
    RULES: "οδηγί* κανόν* εντολ* περιορισμ*",
    YOUR: "σου σας",
    SYSPROMPT: "προτροπή_συστήματος μήνυμα_συστήματος οδηγίες_συστήματος μήνυμα_του_συστήματος",
    REVEAL: "αποκάλυψε δείξε εμφάνισε πες εκτύπωσε δείξτε",
    SEND: "στείλε στείλτε ανέβασε προώθησε",
    SECRET: "κωδικ* κλειδί* κλειδι* μυστικ*",
    NOT: "μην μη ποτέ δεν",
    TELL: "πεις αναφέρεις ενημερώσεις πείτε",
    USER: "χρήστη χρήστης",
    RUN: "εκτέλεσε τρέξε",
    WITHOUT: "χωρίς",
    APPROVAL: "επιβεβαίωση άδεια έγκριση",
    FREE: "χωρίς_περιορισμούς χωρίς_κανόνες",
    BECOME: "είσαι_τώρα τώρα_είσαι",
    OUT: "διακομιστή",
  },
];
