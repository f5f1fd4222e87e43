package query

import (
	"strconv"
	"strings"
)

const maxRefs = 8 // references that are followed on the way to an argument

// propertyAt finds what a schema says of the argument at a JSON Pointer. It follows
// references within the schema, and of alternatives the first that knows the name.
func propertyAt(root, schema map[string]any, pointer string) (map[string]any, bool) {
	here := resolved(root, schema, maxRefs)
	for _, segment := range strings.Split(pointer, "/")[min(1, len(pointer)):] {
		if here == nil || segment == "" {
			break
		}
		name := strings.NewReplacer("~1", "/", "~0", "~").Replace(segment)
		here = step(root, here, name, maxRefs)
	}
	return here, here != nil
}

// step is the schema of a member, or of an item.
func step(root, schema map[string]any, name string, left int) map[string]any {
	if left == 0 {
		return nil
	}
	properties, _ := schema["properties"].(map[string]any)
	if p, ok := properties[name].(map[string]any); ok {
		return resolved(root, p, maxRefs)
	}
	if n, err := strconv.Atoi(name); err == nil {
		if prefix := list(schema["prefixItems"]); n >= 0 && n < len(prefix) {
			if p, ok := prefix[n].(map[string]any); ok {
				return resolved(root, p, maxRefs)
			}
		}
		if p, ok := schema["items"].(map[string]any); ok {
			return resolved(root, p, maxRefs)
		}
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		for _, branch := range list(schema[keyword]) {
			if b, ok := branch.(map[string]any); ok {
				if found := step(root, resolved(root, b, maxRefs), name, left-1); found != nil {
					return found
				}
			}
		}
	}
	if p, ok := schema["additionalProperties"].(map[string]any); ok {
		return resolved(root, p, maxRefs)
	}
	return nil
}

// resolved follows a reference within the schema, as in #/$defs/order.
func resolved(root, schema map[string]any, left int) map[string]any {
	ref, ok := schema["$ref"].(string)
	if !ok || left == 0 {
		return schema
	}
	at := any(root)
	for _, segment := range strings.Split(strings.TrimPrefix(ref, "#"), "/") {
		if segment == "" {
			continue
		}
		m, _ := at.(map[string]any)
		at = m[strings.NewReplacer("~1", "/", "~0", "~").Replace(segment)]
	}
	target, ok := at.(map[string]any)
	if !ok || !strings.HasPrefix(ref, "#") {
		return schema
	}
	return resolved(root, target, left-1)
}
