/**
 * The same meanings in Romance languages, as in `english-words.ts`: no accents on Latin letters, `_` in phrases, `*` after a stem. Short words
 * that are also English ones are left out.
 */
export const romanceWords: readonly Readonly<Record<string, string>>[] = [
  {
    // French
    APPLY: "s'appliquent valent",
    FOLLOW: "suis suivez respecte respectez obeis",
    IGNORED: "annulees annules levees suspendues caduques invalides obsoletes",
    OBEY: "obeis obeissez",
    IGNORE:
      "ignore ignorez ignorer oublie oubliez oublier neglige negligez contourne contournez outrepasse outrepassez abandonne ne_tiens_pas_compte ne_tenez_pas_compte fais_abstraction faites_abstraction ne_suis_plus ne_suivez_plus ne_tiens_plus_compte annule annulez laisse_tomber ecarte",
    PRIOR:
      "precedent precedente precedentes precedents anterieures anterieure anterieurs ci-dessus precede dessus avant jusqu'ici jusqu'a_present auparavant initiales initiale anterieur jusque-la d'avant d'origine recues donnees jusqu'a",
    ALL: "toutes tous toute chaque n'importe l'ensemble",
    EVERYTHING: "tout ce_qui ce_que",
    TOLD: "dit dites donne demande donnees recu recues appris transmis t'a_dit ordonne",
    RULES:
      "instruction instructions consigne consignes regle regles directive directives restrictions contraintes ordres invite politiques limites garde-fous precautions lignes_directrices protocoles recommandations",
    YOUR: "tes ton ta vos votre toi te",
    SYSPROMPT:
      "invite_systeme prompt_systeme message_systeme instructions_systeme prompt_du_systeme invite_du_systeme message_du_systeme instructions_secretes instructions_cachees instructions_initiales prompt_initial consignes_secretes instructions_internes consignes_initiales message_de_systeme prompt_de_systeme instructions_confidentielles",
    REVEAL:
      "revele revelez reveler affiche affichez afficher montre montrez montrer donne donnez donner dis dites divulgue divulguez imprime imprimez repete repetez recopie partage partagez ecris ecrivez communique donne-moi montre-moi dis-moi donnez-moi montrez-moi dites-moi liste",
    SEND: "envoie envoies envoyez envoyer envoi transmets transmettez transmettre telecharge telechargez poste postez televerse televersez transfere transferez publie publiez copie expedie exfiltre exporte televerser",
    SECRET:
      "mot_de_passe mots_de_passe cle cles cle_api cles_api cle_d'api cles_d'api identifiants secrets jeton jetons codes variables_d'environnement carte_bancaire carte_de_credit cle_privee cles_privees cle_secrete",
    PRIVATE:
      "donnees fichiers contenu historique conversation conversations messages contacts courriels boite_de_reception informations",
    NOT: "ne n' pas jamais aucun aucune rien n'en",
    TELL: "dis dites dire informe informez informer mentionne mentionnez mentionner signale signalez signaler parle parlez previens prevenez prevenir avertis avertissez revele demande demandez demander n'informe n'informez n'avertis alerte",
    USER: "utilisateur l'utilisateur utilisateurs utilisatrice personne humain l'humain client a_l'utilisateur d'utilisateur",
    QUIET: "secretement discretement silencieusement dissimule dissimulez en_silence a_l'insu en_secret",
    RUN: "execute executez executer lance lancez lancer installe installez appelle appelez utilise",
    WITHOUT: "sans",
    APPROVAL:
      "confirmation autorisation permission approbation consentement demander verification l'autorisation l'accord l'approbation validation",
    BECOME:
      "tu_es_maintenant vous_etes_maintenant tu_es_desormais vous_etes_desormais desormais_tu_es fais_comme_si faites_comme_si pretends agis comporte-toi joue incarne imagine tu_n'es_plus reponds repondez a_partir_de_maintenant_tu_es",
    FREE: "sans_restriction sans_restrictions sans_limite sans_limites sans_filtre sans_filtres sans_regle sans_regles sans_aucune_regle sans_aucune_restriction sans_aucune_limite sans_aucun_filtre sans_morale sans_censure non_censure libre_de_toute aucune_regle aucune_restriction aucune_limite",
    ALWAYS:
      "toujours desormais dorenavant a_chaque chaque_fois pour_toujours en_permanence a_l'avenir definitivement a_jamais",
    REMEMBER: "souviens-toi souvenez-vous retiens retenez memorise memorisez enregistre enregistrez garde",
    MEMORY: "memoire",
    DESTROY: "supprime supprimez supprimer efface effacez effacer detruis detruisez",
    GOODS: "fichiers base_de_donnees depot disque sauvegardes dossier repertoire",
    DISABLE: "desactive desactivez desactiver supprime leve contourne contournez",
    GUARD:
      "filtres_de_securite controles_de_securite verifications_de_securite mesures_de_securite bac_a_sable securite filtres journalisation protections",
    MODEL: "ia l'ia assistant_ia agent_ia l'assistant modele_de_langage assistants_ia agents_ia l'agent",
    MONEY: "argent l'argent euros montant virement cartes-cadeaux",
    BUY: "vire virez paie payez achete achetez transfere",
    OUT: "serveur adresse l'adresse",
  },
  {
    // Spanish
    APPLY: "aplican valen",
    FOLLOW: "sigas siga respetes cumplas",
    IGNORED: "anuladas canceladas suspendidas invalidas derogadas",
    OBEY: "obedece obedezca obedeceras",
    IGNORE:
      "ignora ignore ignorar ignorad olvida olvide olvidar olvidate descarta descarte omite omita omitir haz_caso_omiso haga_caso_omiso desobedece no_sigas no_siga no_hagas_caso no_tengas_en_cuenta anula sobrescribe elude deja_de_seguir pasa_por_alto salta",
    PRIOR:
      "anterior anteriores previa previas previo previos antes arriba hasta_ahora precedentes iniciales originales hasta_aqui recibidas",
    ALL: "todas todos toda cualquier cada",
    EVERYTHING: "todo lo_que",
    TOLD: "dicho dijeron dado han_dicho has_recibido recibido ensenado ordenado dije",
    RULES:
      "instruccion instrucciones regla reglas directriz directrices ordenes restricciones indicaciones normas limitaciones politicas pautas salvaguardas limites directivas",
    YOUR: "tus tu sus su te",
    SYSPROMPT:
      "prompt_del_sistema mensaje_del_sistema mensaje_de_sistema prompt_de_sistema instrucciones_del_sistema instrucciones_secretas instrucciones_ocultas instrucciones_iniciales prompt_inicial indicaciones_del_sistema instrucciones_internas prompt_oculto instrucciones_confidenciales instrucciones_originales",
    REVEAL:
      "revela revele revelar revelame muestra muestre mostrar muestrame imprime imprima dame deme dime digame di repite repita ensena ensename comparte comparta divulga escribe enumera filtra indica lista muestralo",
    SEND: "envia envie enviar enviame envialo enviala envialas envialos manda mande mandar mandalo sube suba subir transmite reenvia reenvie publica copia exporta transfiere exfiltra remite",
    SECRET:
      "contrasena contrasenas clave claves clave_api claves_api credencial credenciales secretos token tokens clave_privada claves_privadas variables_de_entorno tarjeta_de_credito datos_bancarios",
    PRIVATE:
      "datos archivos ficheros contenido historial conversacion conversaciones mensajes contactos correos bandeja_de_entrada informacion",
    NOT: "nunca jamas ningun ninguna nada",
    TELL: "digas diga decir decirle informes informe informar menciones mencione mencionar avises avise avisar cuentes cuente reveles revele reveles notifiques notifique pidas pida pedir preguntes pregunte sepa entere",
    USER: "usuario usuarios usuaria humano persona cliente nadie",
    QUIET:
      "secretamente silenciosamente discretamente oculta oculte esconde a_escondidas en_secreto en_silencio sin_que",
    RUN: "ejecuta ejecute ejecutar corre corra lanza instala instale invoca llama",
    WITHOUT: "sin",
    APPROVAL: "confirmacion permiso autorizacion aprobacion consentimiento preguntar pedir verificacion",
    BECOME:
      "ahora_eres eres_ahora a_partir_de_ahora_eres finge actua compórtate comportate haz_como simula imagina_que_eres responde ya_no_eres conviertete desde_ahora_eres hazte_pasar seras",
    FREE: "sin_restricciones sin_limites sin_filtros sin_reglas sin_censura sin_ninguna_restriccion sin_ninguna_regla sin_ninguna_limitacion sin_etica sin_moral sin_limitaciones no_tienes_reglas no_tiene_reglas no_tienes_restricciones libre_de sin_filtro",
    ALWAYS:
      "siempre a_partir_de_ahora de_ahora_en_adelante cada_vez en_adelante para_siempre en_cada permanentemente desde_ahora",
    REMEMBER: "recuerda recuerde memoriza guarda guarde almacena registra anota",
    MEMORY: "memoria",
    DESTROY: "borra borre borrar elimina elimine eliminar destruye suprime",
    GOODS: "archivos ficheros base_de_datos repositorio disco copias_de_seguridad carpeta",
    DISABLE: "desactiva desactive desactivar elimina quita evita deshabilita",
    GUARD:
      "filtros_de_seguridad controles_de_seguridad comprobaciones_de_seguridad medidas_de_seguridad seguridad filtros protecciones auditoria verificaciones_de_seguridad",
    MODEL: "ia asistente_de_ia asistente agente_de_ia modelo_de_lenguaje agente asistentes",
    MONEY: "dinero euros fondos transferencia tarjetas_de_regalo",
    BUY: "transfiere paga compra pague compre",
    OUT: "servidor direccion atacante",
  },
  {
    // Italian
    APPLY: "valgono",
    FOLLOW: "segui rispettare seguite",
    IGNORED: "annullate sospese revocate cancellate",
    OBEY: "obbedisci obbedire ubbidisci",
    IGNORE:
      "ignora ignorate ignorare dimentica dimenticate dimenticare trascura scarta scavalca aggira disattendi non_seguire non_tenere_conto non_considerare sovrascrivi annulla tralascia lascia_perdere",
    PRIOR:
      "precedente precedenti anteriori sopra prima finora fino_ad_ora fino_a_questo iniziali originali ricevute detto_finora fin_qui",
    ALL: "tutte tutti tutta ogni qualsiasi qualunque",
    EVERYTHING: "tutto quanto cio_che quello_che",
    TOLD: "detto stato_detto dato ricevuto insegnato ordinato",
    RULES:
      "istruzione istruzioni regola regole direttiva direttive restrizioni ordini indicazioni limitazioni vincoli linee_guida politiche norme limiti",
    YOUR: "tue tuo tua tuoi vostre ti",
    SYSPROMPT:
      "prompt_di_sistema messaggio_di_sistema istruzioni_di_sistema prompt_del_sistema istruzioni_segrete istruzioni_nascoste istruzioni_iniziali prompt_iniziale messaggio_del_sistema istruzioni_interne istruzioni_originali istruzioni_del_sistema prompt_nascosto",
    REVEAL:
      "rivela rivelami rivelare mostra mostrami mostrare mostrate stampa stampami dammi dimmi ripeti ripetimi elenca scrivi divulga condividi svela svelami dai comunica comunicami",
    SEND: "invia inviate inviare inviami inviale inviali invialo manda mandami mandare mandale spedisci carica caricare inoltra inoltrare trasmetti pubblica copia esporta trasferisci",
    SECRET:
      "password chiave chiavi chiave_api chiavi_api credenziali segreti token chiave_privata chiavi_private variabili_d'ambiente variabili_di_ambiente carta_di_credito parola_d'ordine",
    PRIVATE: "dati file contenuto cronologia conversazione conversazioni messaggi contatti posta informazioni",
    NOT: "non mai nessun nessuna niente",
    TELL: "dire dica informare informa avvisare avvisa menzionare menziona segnalare rivelare chiedere chiedi sappia comunicare raccontare",
    USER: "utente l'utente all'utente utenti nessuno persona cliente",
    QUIET: "segretamente silenziosamente di_nascosto nascondi nascondere in_segreto occulta",
    RUN: "esegui eseguire eseguite lancia avvia installa chiama",
    WITHOUT: "senza",
    APPROVAL: "conferma permesso autorizzazione approvazione consenso chiedere verifica",
    BECOME:
      "ora_sei adesso_sei sei_ora sei_adesso da_ora_in_poi_sei d'ora_in_poi_sei fingi comportati agisci immagina interpreta rispondi non_sei_piu fai_finta",
    FREE: "senza_restrizioni senza_limiti senza_filtri senza_regole senza_censura senza_alcuna_restrizione senza_alcuna_regola senza_alcun_limite senza_etica senza_morale senza_limitazioni nessuna_regola nessuna_restrizione",
    ALWAYS: "sempre d'ora_in_poi da_ora_in_poi ogni_volta per_sempre in_futuro ad_ogni in_ogni",
    REMEMBER: "ricorda ricordati memorizza salva registra annota",
    MEMORY: "memoria",
    DESTROY: "cancella cancellare elimina eliminare distruggi rimuovi",
    GOODS: "file database repository disco backup cartella archivi",
    DISABLE: "disattiva disattivare disabilita rimuovi aggira",
    GUARD: "filtri_di_sicurezza controlli_di_sicurezza misure_di_sicurezza sicurezza filtri protezioni",
    MODEL: "ia l'ia assistente_ia assistente agente modello_linguistico",
    MONEY: "denaro soldi euro bonifico",
    BUY: "trasferisci paga compra acquista bonifica",
    OUT: "indirizzo l'indirizzo",
  },
  {
    // Portuguese
    APPLY: "valem aplicam",
    FOLLOW: "siga cumpra respeite",
    IGNORED: "canceladas anuladas suspensas revogadas",
    OBEY: "obedeca obedece obedecer",
    IGNORE:
      "ignore ignora ignorar esqueca esquece esquecer desconsidere desconsidera desconsiderar despreze descarte descarta burle contorne nao_siga anule sobrescreva desobedeca deixe_de_seguir",
    PRIOR:
      "anterior anteriores previas previa previos acima antes ate_agora ate_aqui iniciais originais precedentes recebidas",
    ALL: "todas todos toda qualquer cada",
    EVERYTHING: "tudo o_que",
    TOLD: "disseram dito foi_dito recebeu deram ensinado falado",
    RULES:
      "instrucao instrucoes regra regras diretriz diretrizes ordens restricoes orientacoes limitacoes politicas normas limites diretivas",
    YOUR: "suas seus sua seu tuas teu lhe",
    SYSPROMPT:
      "prompt_do_sistema prompt_de_sistema mensagem_do_sistema mensagem_de_sistema instrucoes_do_sistema instrucoes_secretas instrucoes_ocultas instrucoes_iniciais prompt_inicial instrucoes_internas instrucoes_originais prompt_oculto",
    REVEAL:
      "revele revela revelar mostre mostra mostrar mostre-me imprima exiba diga diga-me repita compartilhe divulgue escreva liste me_diga me_mostre me_de forneca conte",
    SEND: "envie envia enviar mande manda mandar encaminhe encaminhar transmita carregue publique copie exporte transfira poste suba",
    SECRET:
      "senha senhas chave chaves chave_de_api chaves_de_api credenciais segredos token tokens chave_privada chaves_privadas variaveis_de_ambiente cartao_de_credito chave_api",
    PRIVATE: "dados arquivos ficheiros conteudo historico conversa conversas mensagens contatos informacoes",
    NOT: "nao nunca jamais nenhum nenhuma nada",
    TELL: "diga dizer conte contar informe informar mencione mencionar avise avisar revele notifique pergunte perguntar peca pedir saiba",
    USER: "usuario usuarios utilizador utilizadores usuaria ninguem cliente humano",
    QUIET: "secretamente silenciosamente discretamente esconda oculte em_segredo em_silencio sem_que",
    RUN: "execute executar rode instale chame inicie",
    WITHOUT: "sem",
    APPROVAL: "confirmacao permissao autorizacao aprovacao consentimento perguntar pedir verificacao",
    BECOME:
      "agora_voce_e voce_agora_e voce_e_agora a_partir_de_agora_voce_e finja aja comporte-se simule imagine_que_voce responda voce_nao_e_mais faca_de_conta",
    FREE: "sem_restricoes sem_limites sem_filtros sem_regras sem_censura sem_nenhuma_restricao sem_etica sem_moral sem_limitacoes sem_nenhuma_regra sem_qualquer_restricao",
    ALWAYS: "sempre a_partir_de_agora de_agora_em_diante toda_vez para_sempre daqui_em_diante em_cada doravante",
    REMEMBER: "lembre lembre-se memorize guarde salve armazene anote",
    MEMORY: "memoria",
    DESTROY: "apague apagar exclua excluir delete destrua remova elimine",
    GOODS: "arquivos ficheiros banco_de_dados repositorio disco backups pasta",
    DISABLE: "desative desativar desabilite remova contorne burle desligue",
    GUARD: "filtros_de_seguranca verificacoes_de_seguranca medidas_de_seguranca seguranca filtros protecoes",
    MODEL: "ia assistente_de_ia assistente agente modelo_de_linguagem",
    MONEY: "dinheiro reais valor pix",
    BUY: "transfira pague compre",
    OUT: "servidor endereco atacante",
  },
];
