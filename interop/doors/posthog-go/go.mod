module posthog-go

go 1.25

require github.com/posthog/posthog-go v1.5.2
