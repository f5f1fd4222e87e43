package redact

// idWords label a national id of any country but the United States, whose
// numbers have no check digit.
var idWords = []string{
	"national id*", "national_id*", "nationalid", "national identi*", "identity number", "identity_number", "tax id*",
	"tax_id*", "taxid", "tax number", "taxpayer*", "personal id*", "id card", "identity card", "national insurance*",
	"social security*", "social_security*", "social insurance*",
}

var (
	usWords = []string{"ssn", "itin", "tin", "social_security", "socialsecurity*", "soc sec", "social security*", "tax id*", "tax_id*", "taxpayer*"}
	deWords = []string{"steuer*", "idnr", "steuerid", "identifikationsnummer", "st-id"}
	frWords = []string{"nir", "insee", "sécu*", "secu", "sécurité sociale", "securite sociale", "vitale"}
	esWords = []string{"dni", "nif", "nie", "documento*"}
	nlWords = []string{"bsn", "burgerservicenummer", "sofi*"}
	plWords = []string{"pesel"}
	brWords = []string{"cpf"}
	inWords = []string{"aadha*", "uidai"}
	caWords = []string{"SIN", "sin_number", "sin number", "sinnumber", "numéro d'assurance"}
	seWords = []string{"personnummer", "personnr", "samordningsnummer", "personal number", "personal_number"}
	fiWords = []string{"hetu", "henkilötunnus", "henkilotunnus"}
	dkWords = []string{"cpr*", "personnummer"}
	noWords = []string{"fødselsnummer", "fodselsnummer", "fnr", "personnummer", "d-nummer"}
	beWords = []string{"rijksregister*", "registre national", "niss", "insz"}
	chWords = []string{"ahv*", "avs", "oasi"}
	ptWords = []string{"nif", "contribuinte"}
	ieWords = []string{"pps", "ppsn"}
	atWords = []string{"svnr", "sozialversicherung*", "sv-nummer"}
	trWords = []string{"tckn", "tc kimlik*", "kimlik*"}
	cnWords = []string{"身份证*", "居民身份*", "resident id*", "id number"}
	krWords = []string{"주민등록*", "rrn", "resident registration*"}
	jpWords = []string{"マイナンバー*", "個人番号*", "my number", "my_number", "mynumber", "individual number"}
	zaWords = []string{"id number", "id_number", "rsa id", "said", "south african id*"}
	roWords = []string{"cnp"}
	bgWords = []string{"egn", "егн"}
	czWords = []string{"rodné*", "rodne*", "birth number", "birth_number"}
	grWords = []string{"amka", "αμκα"}
	hrWords = []string{"oib"}
	eeWords = []string{"isikukood*", "asmens kodas", "personal code", "personal_code"}
	auWords = []string{"tfn", "tax file*", "tax_file*"}
	ukWords = []string{"nino", "NI number", "ni_number", "NI no", "NHS*", "nhs number", "nhs_number"}
	thWords = []string{"thai id*", "บัตรประชาชน*", "เลขประจำตัว*"}
	ruWords = []string{"снилс*", "snils"}
	ruTaxes = []string{"инн", "inn"}
	clWords = []string{"rut", "run"}
	arWords = []string{"cuil", "cuit"}
	mxWords = []string{"rfc", "curp"}
	myWords = []string{"mykad", "nric", "ic number", "ic no"}
)

// idForms is all that is known, country by country.
var idForms = []idForm{
	{"us", "ddd-dd-dddd", false, isSSN, usWords}, // also ITIN
	{"us", "ddd dd dddd", true, isSSN, usWords},
	{"us", "ddddddddd", true, isSSN, usWords},
	{"de", "ddddddddddd", true, isSteuerID, deWords}, // Steuer-ID
	{"de", "dd ddd ddd ddd", true, isSteuerID, deWords},
	{"fr", "d dd dd dd ddd ddd dd", false, isNIR, frWords}, // NIR
	{"fr", "d dd dd dA ddd ddd dd", false, isNIR, frWords},
	{"fr", "ddddddAdddddddd", false, isNIR, frWords},
	{"fr", "ddddddddddddddd", true, isNIR, frWords},
	{"fr", "ddddddddddddd dd", true, isNIR, frWords},
	{"es", "ddddddddA", false, isDNI, esWords}, // DNI, NIE
	{"es", "dddddddd-A", false, isDNI, esWords},
	{"es", "AdddddddA", false, isDNI, esWords},
	{"es", "A-ddddddd-A", false, isDNI, esWords},
	{"nl", "ddddddddd", true, isBSN, nlWords}, // BSN
	{"nl", "dddd.dd.ddd", true, isBSN, nlWords},
	{"nl", "dddd dd ddd", true, isBSN, nlWords},
	{"pl", "ddddddddddd", true, isPESEL, plWords},   // PESEL
	{"br", "ddd.ddd.ddd-dd", false, isCPF, brWords}, // CPF
	{"br", "ddddddddddd", true, isCPF, brWords},
	{"in", "dddddddddddd", true, isAadhaar, inWords}, // Aadhaar
	{"in", "dddd dddd dddd", true, isAadhaar, inWords},
	{"in", "dddd-dddd-dddd", true, isAadhaar, inWords},
	{"ca", "ddddddddd", true, luhn, caWords}, // SIN
	{"ca", "ddd ddd ddd", true, luhn, caWords},
	{"ca", "ddd-ddd-ddd", true, luhn, caWords},
	{"se", "dddddd-dddd", true, isPersonnummer, seWords}, // personnummer
	{"se", "dddddd+dddd", true, isPersonnummer, seWords},
	{"se", "dddddddd-dddd", true, isPersonnummer, seWords},
	{"se", "dddddddddd", true, isPersonnummer, seWords},
	{"se", "dddddddddddd", true, isPersonnummer, seWords},
	{"fi", "dddddd-dddA", false, isHETU, fiWords}, // henkilötunnus
	{"fi", "ddddddAdddK", false, isHETU, fiWords},
	{"fi", "dddddd-dddd", true, isHETU, fiWords},
	{"dk", "dddddd-dddd", true, isDayFirst, dkWords}, // CPR: its check digit was given up in 2007
	{"dk", "dddddddddd", true, isDayFirst, dkWords},
	{"no", "ddddddddddd", true, isFodselsnummer, noWords}, // fødselsnummer
	{"no", "dddddd ddddd", true, isFodselsnummer, noWords},
	{"be", "dd.dd.dd-ddd.dd", false, isRijksregister, beWords}, // national register
	{"be", "ddddddddddd", true, isRijksregister, beWords},
	{"ch", "ddd.dddd.dddd.dd", false, isAHV, chWords}, // AHV
	{"ch", "ddddddddddddd", true, isAHV, chWords},
	{"pt", "ddddddddd", true, isPortugueseNIF, ptWords}, // NIF
	{"pt", "ddd ddd ddd", true, isPortugueseNIF, ptWords},
	{"ie", "dddddddA", true, isPPS, ieWords}, // PPS
	{"ie", "dddddddAA", true, isPPS, ieWords},
	{"at", "dddd dddddd", true, isAustrianSVNR, atWords}, // SVNR
	{"at", "dddddddddd", true, isAustrianSVNR, atWords},
	{"tr", "ddddddddddd", true, isTCKN, trWords},            // T.C. kimlik no.
	{"cn", "dddddddddddddddddA", false, isChinese, cnWords}, // resident id
	{"cn", "dddddddddddddddddd", true, isChinese, cnWords},
	{"kr", "dddddd-ddddddd", false, isKorean, krWords}, // RRN, until 2020
	{"kr", "ddddddddddddd", true, isKorean, krWords},
	{"jp", "dddddddddddd", true, isMyNumber, jpWords}, // My Number
	{"jp", "dddd dddd dddd", true, isMyNumber, jpWords},
	{"za", "ddddddddddddd", true, isSouthAfrican, zaWords},
	{"ro", "ddddddddddddd", true, isCNP, roWords}, // CNP
	{"bg", "dddddddddd", true, isEGN, bgWords},    // EGN
	{"cz", "dddddd/dddd", true, isRodneCislo, czWords},
	{"cz", "dddddddddd", true, isRodneCislo, czWords},
	{"gr", "ddddddddddd", true, isAMKA, grWords},      // AMKA
	{"hr", "ddddddddddd", true, isISO7064, hrWords},   // OIB
	{"ee", "ddddddddddd", true, isIsikukood, eeWords}, // also Lithuania
	{"au", "ddddddddd", true, isTFN, auWords},         // TFN
	{"au", "ddd ddd ddd", true, isTFN, auWords},
	{"uk", "AAddddddA", true, isNINO, ukWords}, // national insurance, NHS
	{"uk", "AA dd dd dd A", false, isNINO, ukWords},
	{"uk", "dddddddddd", true, isNHS, ukWords},
	{"uk", "ddd ddd dddd", true, isNHS, ukWords},
	{"uk", "ddd-ddd-dddd", true, isNHS, ukWords},
	{"th", "d-dddd-ddddd-dd-d", false, isThai, thWords},
	{"th", "ddddddddddddd", true, isThai, thWords},
	{"ru", "ddd-ddd-ddd dd", false, isSNILS, ruWords}, // SNILS, INN
	{"ru", "ddddddddddd", true, isSNILS, ruWords},
	{"ru", "dddddddddddd", true, isINN, ruTaxes},
	{"cl", "dd.ddd.ddd-K", false, isRUT, clWords}, // RUT
	{"cl", "d.ddd.ddd-K", false, isRUT, clWords},
	{"cl", "dddddddd-K", true, isRUT, clWords},
	{"cl", "ddddddd-K", true, isRUT, clWords},
	{"ar", "dd-dddddddd-d", false, isCUIL, arWords}, // CUIL
	{"ar", "ddddddddddd", true, isCUIL, arWords},
	{"mx", "AAAAddddddAAAAAAKd", false, isCURP, mxWords}, // CURP, RFC of a person
	{"mx", "AAAAddddddKKK", true, isRFC, mxWords},
	{"it", "AAAAAAddAddAdddA", false, isCodiceFiscale, nil}, // codice fiscale
	{"sg", "AdddddddA", false, isNRIC, nil},                 // NRIC, FIN
	{"my", "dddddd-dd-dddd", true, isMyKad, myWords},        // MyKad
}
