package redact

// A keyForm is how the keys of one issuer look: a prefix that nothing else
// has, then at least min bytes of letters, digits, _ and -.
type keyForm struct {
	prefix string
	min    int
	digit  bool // wants a digit and a letter: words can follow this prefix, too
}

// keyForms ends each prefix with a byte that is a trigger of the rule. The
// publishable keys of issuers that have such are no secrets and are not here.
var keyForms = []keyForm{
	{"sk-", 20, true},       // OpenAI, Anthropic, OpenRouter, DeepSeek, LiteLLM
	{"gsk_", 40, false},     // Groq
	{"xai-", 40, true},      // xAI
	{"pplx-", 32, true},     // Perplexity
	{"nvapi-", 40, true},    // NVIDIA
	{"hf_", 30, false},      // Hugging Face
	{"api_org_", 30, false}, //
	{"r8_", 30, false},      // Replicate
	{"tvly-", 20, true},     // Tavily
	{"fc-", 32, true},       // Firecrawl
	{"jina_", 40, false},    // Jina
	{"lsv2_pt_", 32, true},  // LangSmith
	{"lsv2_sk_", 32, true},  //
	{"pcsk_", 40, false},    // Pinecone
	{"e2b_", 36, false},     // E2B

	{"sk_live_", 16, false}, // Stripe
	{"sk_test_", 16, false}, //
	{"rk_live_", 16, false}, //
	{"rk_test_", 16, false}, //
	{"whsec_", 16, false},   //
	{"sq0atp-", 20, false},  // Square
	{"sq0csp-", 40, false},  //
	{"shpat_", 32, false},   // Shopify
	{"shpca_", 32, false},   //
	{"shppa_", 32, false},   //
	{"shpss_", 32, false},   //
	{"FLWSECK-", 32, true},  // Flutterwave
	{"FLWSECK_TEST-", 12, true},
	{"rzp_live_", 14, false}, // Razorpay
	{"duffel_live_", 40, false},
	{"duffel_test_", 40, false},
	{"shippo_live_", 40, false},
	{"shippo_test_", 40, false},

	{"ghp_", 20, false}, // GitHub
	{"gho_", 20, false}, //
	{"ghu_", 20, false}, //
	{"ghs_", 20, false}, //
	{"ghr_", 20, false}, //
	{"github_pat_", 20, false},
	{"glpat-", 16, false},   // GitLab
	{"gldt-", 16, true},     //
	{"glrt-", 16, true},     //
	{"glptt-", 30, true},    //
	{"glcbt-", 20, true},    //
	{"glimt-", 20, true},    //
	{"glft-", 20, true},     //
	{"glsoat-", 16, true},   //
	{"glagent-", 40, true},  //
	{"gloas-", 40, true},    //
	{"npm_", 36, false},     // npm
	{"pypi-", 50, true},     // PyPI
	{"rubygems_", 40, true}, // RubyGems
	{"CLOJARS_", 50, true},  // Clojars
	{"dckr_pat_", 20, false},
	{"dckr_oat_", 20, false},
	{"CCIPAT_", 20, true}, // CircleCI
	{"bkua_", 40, false},  // Buildkite
	{"sqp_", 40, false},   // SonarQube
	{"sqa_", 40, false},   //
	{"squ_", 40, false},   //

	{"xoxb-", 10, true}, // Slack
	{"xoxp-", 10, true}, //
	{"xoxa-", 10, true}, //
	{"xoxr-", 10, true}, //
	{"xoxs-", 10, true}, //
	{"xoxc-", 10, true}, //
	{"xoxd-", 10, true}, //
	{"xapp-", 10, true}, //
	{"xoxe.", 20, true}, //
	{"xoxe-", 20, true}, //

	{"GOCSPX-", 24, false}, // Google OAuth client
	{"ya29.", 20, true},    // Google OAuth
	{"dop_v1_", 40, false}, // DigitalOcean
	{"doo_v1_", 40, false}, //
	{"dor_v1_", 40, false}, //
	{"HRKU-", 30, true},    // Heroku
	{"fm1_", 60, false},    // Fly.io
	{"fm2_", 60, false},    //
	{"fo1_", 40, false},    //
	{"rnd_", 24, true},     // Render
	{"nfp_", 36, false},    // Netlify
	{"vcp_", 24, true},     // Vercel
	{"vercel_blob_rw_", 24, true},
	{"sbp_", 36, false}, // Supabase
	{"sb_secret_", 20, true},
	{"pscale_tkn_", 30, true}, // PlanetScale
	{"pscale_pw_", 30, true},  //
	{"pscale_oauth_", 30, true},
	{"napi_", 40, true},           // Neon
	{"mdb_sa_sk_", 24, true},      // MongoDB Atlas
	{"ops_", 200, true},           // 1Password service accounts
	{"pul-", 36, true},            // Pulumi
	{"tskey-", 20, true},          // Tailscale
	{"hvs.", 20, true},            // HashiCorp Vault
	{"hvb.", 20, true},            //
	{"hvr.", 20, true},            //
	{"dp.pt.", 36, false},         // Doppler
	{"dp.st.", 36, false},         //
	{"dp.ct.", 36, false},         //
	{"dp.sa.", 36, false},         //
	{"AGE-SECRET-KEY-", 50, true}, // age
	{"scw_", 36, true},            // Scaleway
	{"ntn_", 40, false},           // Notion
	{"secret_", 43, true},         //
	{"lin_api_", 30, false},       // Linear
	{"lin_oauth_", 30, false},     //
	{"figd_", 36, true},           // Figma
	{"PMAK-", 40, true},           // Postman
	{"CFPAT-", 40, true},          // Contentful
	{"tfp_", 40, false},           // Typeform
	{"pat-na1-", 30, true},        // HubSpot
	{"pat-eu1-", 30, true},        //
	{"xkeysib-", 60, true},        // Brevo
	{"xsmtpsib-", 60, true},       //
	{"SG.", 40, true},             // SendGrid
	{"key-", 32, true},            // Mailgun
	{"re_", 24, true},             // Resend
	{"sntrys_", 40, false},        // Sentry
	{"sntryu_", 40, false},        //
	{"glsa_", 36, true},           // Grafana
	{"glc_", 40, true},            //
	{"dt0c01.", 60, true},         // Dynatrace
	{"NRAK-", 24, true},           // New Relic
	{"NRJS-", 18, true},           //
	{"NRII-", 30, true},           //
	{"phx_", 30, false},           // PostHog
	{"fio-u-", 60, true},          // Frame.io
	{"apify_api_", 30, true},      // Apify
	{"ump_w_", 10, false},         // Umpire
	{"ump_r_", 10, false},         //
	{"mp_live_", 12, false},       // MCPulse
}

// A bareForm is a key of one length without a separator in it.
type bareForm struct {
	prefix string
	length int
	upper  bool // capitals and digits only
}

var (
	// They begin with the A that is a trigger of the rule.
	aForms = []bareForm{
		{"AKIA", 20, true}, // AWS
		{"ASIA", 20, true},
		{"ABIA", 20, true},
		{"ACCA", 20, true},
		{"AIza", 39, false},       // Google
		{"AKID", 36, false},       // Tencent
		{"AKCp", 73, false},       // Artifactory
		{"ATBB", 36, false},       // Bitbucket
		{"ATATT3xFf", 192, false}, // Atlassian
		{"ATCTT3xFf", 192, false}, //
	}

	// They are looked at where the first digit stands behind letters.
	wordForms = []bareForm{
		{"LTAI", 24, false}, // Alibaba
		{"dapi", 36, false}, // Databricks
		{"EZAK", 58, false}, // EasyPost
		{"EZTK", 58, false}, //
		{"cio", 35, false},  // crates.io
		{"oy", 46, false},   // NuGet
	}
)
