/**
 * The same meanings in Germanic and Nordic languages, as in `english-words.ts`: no accents on Latin letters, `_` in phrases, `*` after a stem. Short words
 * that are also English ones are left out.
 */
export const germanicWords: readonly Readonly<Record<string, string>>[] = [
  {
    // German
    APPLY: "gelten gilt",
    FOLLOW: "beachte befolge folge halte",
    IGNORED: "aufgehoben ungultig hinfallig annulliert ausser_kraft gegenstandslos",
    OBEY: "gehorche gehorchen gehorchst",
    IGNORE:
      "ignoriere ignorieren ignorier vergiss vergesst vergessen missachte missachten missachtet umgehe umgehen uberschreibe verwirf verwerfen beachte_nicht ubergehe ubergehen setze_dich_uber hore_nicht_auf lass_alle lasse_alle ausser_acht setz_dich_uber streiche verletze",
    PRIOR:
      "vorherige vorherigen vorheriger bisherige bisherigen fruhere fruheren obige obigen oben vorangegangene vorangegangenen vorher bisher zuvor vorhergehende vorhergehenden oberhalb uber_dieser ursprungliche ursprunglichen anfanglichen bis_jetzt davor vorstehenden bestehenden geltenden",
    ALL: "alle allen aller jede jeden jegliche jeglichen samtliche samtlichen",
    EVERYTHING: "alles",
    TOLD: "gesagt mitgeteilt aufgetragen gegeben angewiesen erhalten beigebracht vorgegeben gelernt",
    RULES:
      "anweisung anweisungen instruktion instruktionen regel regeln vorgabe vorgaben richtlinie richtlinien vorschriften befehle beschrankungen einschrankungen sicherheitsregeln sicherheitsrichtlinien anleitungen direktiven systemprompt sicherheitsvorgaben leitlinien auftrage programmierung",
    YOUR: "deine deinen deiner deinem dein ihre ihren ihrer dir euch eure",
    SYSPROMPT:
      "systemprompt system-prompt systemnachricht systemanweisung systemanweisungen systeminstruktionen systemaufforderung urspruengliche_anweisungen ursprunglichen_anweisungen internen_anweisungen geheimen_anweisungen interne_anweisungen systemmeldung system_prompt anfangsprompt initialen_prompt",
    REVEAL:
      "zeig zeige zeigen gib gebe geben nenne nennen verrate verraten drucke ausgeben offenbare offenbaren enthulle wiederhole teile verrat preisgeben offenlegen liste schreib schreibe sag sage mitteilen wiedergeben ausgibst poste",
    SEND: "sende senden schick schicke schicken leite weiterleiten ubermittle ubermitteln lade hochladen ubertrage ubertragen mail maile poste veroffentliche kopiere exportiere sendest schickst weiterleitest",
    SECRET:
      "passwort passworter passwortern schlussel api-schlussel zugangsdaten kennwort kennworter geheimnis geheimnisse geheimschlussel anmeldedaten umgebungsvariable umgebungsvariablen kreditkartendaten kreditkartennummer zugangstoken privaten_schlussel pin tan kontodaten",
    PRIVATE:
      "daten dateien inhalt verlauf chatverlauf gesprach unterhaltung nachrichten kontakte postfach posteingang kundendaten quellcode datenbank gesprachsverlauf",
    NOT: "niemandem nicht nie niemals kein keine keinen keinesfalls keinerlei",
    TELL: "erwahne erwahnen erzahle erzahlen informiere informieren berichte berichten erfahrt erfahren mitteilen verrate sag sage sagen benachrichtige merkt erfahre weiss melde zeige frag frage fragen",
    USER: "nutzer nutzers benutzer benutzers anwender anwenders nutzerin benutzerin kunden menschen niemandem",
    QUIET: "heimlich unbemerkt stillschweigend verheimliche verschweige verberge verstecke geheim",
    RUN: "fuhre ausfuhren fuhr starte starten installiere installieren aufrufen rufe lade lauf",
    WITHOUT: "ohne",
    APPROVAL:
      "nachfrage ruckfrage bestatigung genehmigung erlaubnis freigabe zustimmung fragen nachzufragen freigaben bestatigungen",
    BECOME:
      "du_bist_jetzt du_bist_nun ab_jetzt_bist_du du_bist_ab_sofort von_nun_an_bist_du tu_so als_ob spiele schlupfe verhalte_dich benimm_dich stell_dir_vor antworte du_bist_nicht_mehr agiere",
    FREE: "uneingeschrankt uneingeschrankte uneingeschrankter ungefiltert ungefilterte ungefilterter unzensiert unzensierte unzensierter ohne_regeln ohne_einschrankungen ohne_beschrankungen ohne_filter ohne_grenzen ohne_moral ohne_jede_einschrankung ohne_jegliche keine_regeln keinerlei_regeln keine_einschrankungen keine_grenzen regellos",
    ALWAYS:
      "immer stets dauerhaft kunftig ab_sofort ab_jetzt von_nun_an in_zukunft jedes_mal fur_immer jeder_sitzung jeder_antwort jede_antwort",
    REMEMBER: "merke merk speichere speichern behalte notiere vermerke",
    MEMORY: "gedachtnis speicher erinnerung langzeitgedachtnis",
    DESTROY: "losche loschen losch vernichte zerstore zerstoren entferne formatiere",
    GOODS: "dateien datenbank festplatte backups sicherungen repository verzeichnis heimatverzeichnis projekt",
    DISABLE: "deaktiviere deaktivieren schalte abschalten ausschalten entferne umgehe umgehen hebe",
    GUARD:
      "sicherheitsprufung sicherheitsprufungen sicherheitsfilter inhaltsfilter sicherheitsmassnahmen sandbox protokollierung sicherheitsmechanismen genehmigungen schutzmassnahmen",
    MODEL: "ki ki-assistent ki-assistenten ki-modell ki-agent ki-agenten sprachmodell assistent ki-systeme ki-modelle",
    MONEY: "geld euro guthaben gutscheine uberweisung betrag",
    BUY: "uberweise uberweisen bezahle kaufe",
    OUT: "angreifer externen_server adresse",
  },
  {
    // Dutch
    FOLLOW: "volg",
    IGNORED: "ingetrokken vervallen opgeheven ongeldig",
    OBEY: "gehoorzaam gehoorzamen",
    IGNORE:
      "negeer negeert negeren vergeet vergeten omzeil omzeilen schend overschrijf sla_over houd_je_niet_aan laat_varen",
    PRIOR:
      "vorige eerdere bovenstaande voorgaande voorafgaande hiervoor hierboven tot_nu_toe eerder oorspronkelijke daarvoor",
    ALL: "alle elke iedere",
    EVERYTHING: "alles wat",
    TOLD: "gezegd verteld gekregen opgedragen gegeven",
    RULES:
      "instructie instructies regel regels richtlijn richtlijnen opdrachten aanwijzingen beperkingen voorschriften",
    YOUR: "je jouw uw",
    SYSPROMPT:
      "systeemprompt systeembericht systeeminstructies systeem_prompt systeeminstructie oorspronkelijke_instructies geheime_instructies verborgen_instructies interne_instructies",
    REVEAL: "toon laat_zien geef onthul vertel herhaal deel schrijf noem druk_af openbaar verklap",
    SEND: "stuur stuurt sturen verstuur verzend verzenden mail upload doorsturen kopieer publiceer",
    SECRET:
      "wachtwoord wachtwoorden sleutel sleutels api-sleutel api-sleutels inloggegevens geheim geheimen omgevingsvariabelen toegangscode",
    PRIVATE: "gegevens bestanden inhoud gesprek geschiedenis berichten klantgegevens",
    NOT: "niet nooit geen niets",
    TELL: "vertel zeg meld noem waarschuw informeer vermeld laat_weten weet vraag vragen",
    USER: "gebruiker gebruikers niemand klant",
    QUIET: "stiekem stilletjes heimelijk verberg verzwijg ongemerkt",
    RUN: "voer uitvoeren draai installeer start",
    WITHOUT: "zonder",
    APPROVAL: "toestemming bevestiging goedkeuring vragen",
    BECOME: "je_bent_nu u_bent_nu vanaf_nu_ben_je doe_alsof gedraag_je speel antwoord je_bent_niet_langer",
    FREE: "zonder_regels zonder_beperkingen zonder_filters zonder_grenzen zonder_enige_beperking ongefilterd ongefilterde ongecensureerd ongecensureerde onbeperkt geen_regels geen_beperkingen zonder_restricties",
    ALWAYS: "altijd voortaan vanaf_nu elke_keer voor_altijd",
    REMEMBER: "onthoud sla bewaar",
    MEMORY: "geheugen",
    DESTROY: "verwijder wis verwijderen wissen vernietig",
    GOODS: "bestanden database schijf map back-ups",
    DISABLE: "schakel uitschakelen omzeil zet",
    GUARD: "veiligheidscontroles beveiliging veiligheidsfilters beveiligingscontroles filters",
    MODEL: "ai-assistent ai-assistenten taalmodel assistent",
    OUT: "adres",
    MONEY: "geld bedrag",
    BUY: "betaal koop",
  },
  {
    // Swedish, Danish, Norwegian, Finnish
    IGNORE:
      "ignorera ignorer glom glem bortse se_bort_fra tilsidesæt overse strunta_i unohda ohita jata_huomiotta alä_noudata",
    PRIOR:
      "tidigare foregaende ovanstaende tidligere foregaende ovenstaende forrige hidtil hittills aiemmat edelliset aikaisemmat aiempia kaikki_aiemmat",
    ALL: "alla alle samtliga kaikki kaikkia",
    EVERYTHING: "allt alt kaikki",
    TOLD: "sagt fatt sanottu kerrottu faet",
    RULES:
      "instruktioner instruksjoner regler riktlinjer anvisningar anvisninger retningslinjer restriktioner ohjeet ohjeita saannot begransningar instrukser",
    YOUR: "dina din dine ditt sinun",
    SYSPROMPT:
      "systemprompt systemprompten systemmeddelande systemmeddelelse systeminstruktioner jarjestelmakehote jarjestelmakehotteesi systemmeldingen systembesked",
    REVEAL: "visa avsloja vis avslor afslor skriv_ut skriv beratta fortell fortael nayta paljasta kerro tulosta gi ge",
    SEND: "skicka sand laheta ladda_upp vidarebefordra videresend",
    SECRET:
      "losenord losenordet adgangskode passord nyckel nycklar api-nyckel nogle nogler api-nokkel salasana salasanat salasanan avain kodeord",
    NOT: "inte aldrig ikke aldrig aldri ala ingen",
    TELL: "beratta namn saga fortael fortell nevn sig kerro mainitse informera",
    USER: "anvandaren anvandare brugeren brukeren kayttajalle kayttajan",
    RUN: "kor exekvera udfor utfor suorita aja",
    WITHOUT: "utan uden uten ilman",
    APPROVAL:
      "bekraftelse godkannande tillstand bekraeftelse godkendelse bekreftelse vahvistusta lupaa att_fraga at_sporge",
    BECOME: "du_ar_nu du_er_nu latsas lad_som_om olet_nyt late_som",
    FREE: "utan_regler utan_begransningar uden_regler uden_begraensninger uten_regler uten_begrensninger utan_filter ilman_rajoituksia ilman_saantoja",
    ALWAYS: "alltid altid aina fran_och_med_nu fra_nu_af fra_na_av",
    OUT: "servern serveren adressen palvelimelle",
  },
];
