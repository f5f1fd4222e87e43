package umpire

import (
	"encoding/json"
	"strconv"
)

// checkList covers the keywords of arrays.
func (c *schemaCheck) checkList(f *findings, s map[string]any, v []any, path string, depth int) {
	if tooFew(s, "minItems", len(v)) || tooMany(s, "maxItems", len(v)) || s["uniqueItems"] == true && c.repeats(v) {
		f.add(false, BadParam{Path: path, Rule: ruleRange})
	}
	prefix, _ := s["prefixItems"].([]any)
	rest := s["items"]
	if tuple, ok := rest.([]any); ok { // up to draft 7
		prefix, rest = tuple, s["additionalItems"]
	}
	for k, item := range v {
		if !c.spend(1) {
			return
		}
		at := path + "/" + strconv.Itoa(k)
		switch {
		case k < len(prefix):
			c.check(f, prefix[k], item, at, depth+1)
		case rest == false || len(prefix) > 0 && forbids(rest):
			f.add(false, BadParam{Path: path, Rule: ruleRange}) // more items than the tuple has
			return
		case rest != nil:
			c.check(f, rest, item, at, depth+1)
		default:
			return
		}
	}
}

// repeats reports whether two items are the same.
func (c *schemaCheck) repeats(v []any) bool {
	seen := make(map[string]bool, len(v))
	for _, item := range v {
		text, err := json.Marshal(item) // sorts the names in objects
		if err != nil || !c.spend(1+len(text)/64) {
			return false
		}
		if seen[string(text)] {
			return true
		}
		seen[string(text)] = true
	}
	return false
}

// checkCombined covers the keywords that hold further schemas for the same value.
func (c *schemaCheck) checkCombined(f *findings, s map[string]any, value any, path string, depth int) {
	if all, ok := s["allOf"].([]any); ok {
		for _, part := range all {
			c.check(f, part, value, path, depth+1)
		}
	}
	for _, keyword := range [...]string{"anyOf", "oneOf"} {
		if branches, ok := s[keyword].([]any); ok {
			c.checkBranches(f, branches, value, path, depth)
		}
	}
	if _, ok := s["not"]; ok && forbids(s) {
		f.add(false, BadParam{Path: path, Rule: ruleType})
	}
	c.checkCondition(f, s, value, path, depth)
}

// checkCondition covers if, then and else. A condition that holds only after
// coercion decides nothing.
func (c *schemaCheck) checkCondition(f *findings, s map[string]any, value any, path string, depth int) {
	condition, ok := s["if"]
	if !ok {
		return
	}
	var unmet findings
	c.check(&unmet, condition, value, path, depth+1)
	switch {
	case c.steps <= 0:
	case unmet.none():
		c.check(f, s["then"], value, path, depth+1)
	case len(unmet.strong) > 0:
		c.check(f, s["else"], value, path, depth+1)
	}
}

// checkBranches adds a violation when every branch of anyOf or oneOf is broken.
// That oneOf allows no second is nothing a caller is blamed for. Of the broken
// branches the one that was meant speaks for all, if it can be told.
func (c *schemaCheck) checkBranches(f *findings, branches []any, value any, path string, depth int) {
	if len(branches) == 0 {
		return
	}
	tries := make([]findings, len(branches))
	for k, branch := range branches {
		c.check(&tries[k], branch, value, path, depth+1)
		if tries[k].none() {
			return
		}
	}
	if k := meantBranch(tries, path); k >= 0 {
		f.addAll(&tries[k])
		return
	}
	p := BadParam{Path: path, Rule: ruleType}
	for k := range tries {
		if at, ok := tries[k].at(path, ruleEnum); ok {
			p = at
			break
		}
	}
	f.add(false, p)
}

// meantBranch returns the only branch that coercion would satisfy (the first of
// them), else the only one whose type fits, else the only one of these whose
// constants fit (a union told apart by a property such as "kind"); -1 if there
// is no such branch.
func meantBranch(tries []findings, path string) int {
	typed, constant := []int{}, []int{}
	for k := range tries {
		t := &tries[k]
		if len(t.strong) == 0 {
			return k
		}
		if _, ok := t.at(path, ruleType); ok {
			continue
		}
		typed = append(typed, k)
		if !t.hasEnum() {
			constant = append(constant, k)
		}
	}
	switch {
	case len(typed) == 1:
		return typed[0]
	case len(constant) == 1:
		return constant[0]
	}
	return -1
}

// at returns the violation of this rule at this very path.
func (f *findings) at(path, rule string) (BadParam, bool) {
	for _, list := range [...][]BadParam{f.strong, f.weak} {
		for _, p := range list {
			if p.Path == path && p.Rule == rule {
				return p, true
			}
		}
	}
	return BadParam{}, false
}

func (f *findings) hasEnum() bool {
	for _, p := range f.strong {
		if p.Rule == ruleEnum {
			return true
		}
	}
	return false
}
