package adapter

import (
	"encoding"
	"encoding/json"
	"math/big"
	"reflect"
	"sync"
	"time"
)

// Structured returns the JSON of a result's structured content, marshalled as the
// SDK will do it afterwards. It runs no method of the value: a Marshaler may
// answer another thing the second time, and the client is to get the first. Such
// content is opaque: there is some, and it is not looked at. An error says that it
// cannot be sent at all.
func Structured(v any) (raw []byte, opaque bool, err error) {
	switch v := v.(type) {
	case nil:
		return nil, false, nil
	case json.RawMessage:
		return v, false, nil
	}
	budget := maxValues
	if !plain(reflect.ValueOf(v), &budget) {
		return nil, true, nil
	}
	raw, err = json.Marshal(v)
	return raw, false, err
}

// maxValues bounds how much of a value is walked on the caller's path; what is
// larger is opaque.
const maxValues = 5000

// plain reports whether marshalling v runs no code but the standard library's.
func plain(v reflect.Value, budget *int) bool {
	if *budget--; *budget < 0 {
		return false
	}
	if !v.IsValid() {
		return true
	}
	t := v.Type()
	if trusted[t] {
		return true
	}
	if hasMethods(t) {
		return false
	}
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		return v.IsNil() || plain(v.Elem(), budget)
	case reflect.Struct:
		for i := range v.NumField() {
			if !plain(v.Field(i), budget) {
				return false
			}
		}
	case reflect.Map:
		if hasMethods(t.Key()) {
			return false
		}
		for entries := v.MapRange(); entries.Next(); {
			if !plain(entries.Value(), budget) {
				return false
			}
		}
	case reflect.Slice, reflect.Array:
		if kind := t.Elem().Kind(); kind <= reflect.Float64 && !hasMethods(t.Elem()) {
			*budget -= v.Len() / 16 // numbers and bytes are what they are
			return *budget >= 0
		}
		for i := range v.Len() {
			if !plain(v.Index(i), budget) {
				return false
			}
		}
	}
	return true
}

// trusted are the standard library's own marshalers, which have no state.
var trusted = map[reflect.Type]bool{
	reflect.TypeFor[time.Time]():       true,
	reflect.TypeFor[json.RawMessage](): true,
	reflect.TypeFor[json.Number]():     true,
	reflect.TypeFor[big.Int]():         true,
}

var (
	marshaler     = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
	methods       sync.Map // reflect.Type to bool
)

// hasMethods reports whether encoding/json calls methods of the type.
func hasMethods(t reflect.Type) bool {
	if t.PkgPath() == "" && t.Kind() != reflect.Pointer && t.Kind() != reflect.Struct {
		return false // string, map[string]any and their like
	}
	if known, ok := methods.Load(t); ok {
		return known.(bool)
	}
	has := t.Kind() != reflect.Interface &&
		(t.Implements(marshaler) || t.Implements(textMarshaler) ||
			reflect.PointerTo(t).Implements(marshaler) || reflect.PointerTo(t).Implements(textMarshaler))
	if t.Kind() == reflect.Pointer && trusted[t.Elem()] {
		has = false
	}
	methods.Store(t, has)
	return has
}
