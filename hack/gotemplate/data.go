package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// decodeData returns the data of a case: JSON, in which {"$go": "int8", "value": "5"} is a value of another type.
func decodeData(text string) (any, error) {
	var data any
	if err := json.Unmarshal([]byte(text), &data); err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	return withTypes(data)
}

func withTypes(value any) (any, error) {
	switch v := value.(type) {
	case []any:
		for i, item := range v {
			typed, err := withTypes(item)
			if err != nil {
				return nil, err
			}
			v[i] = typed
		}
	case map[string]any:
		if name, ok := v["$go"].(string); ok {
			return typedValue(name, v["value"])
		}
		for key, item := range v {
			typed, err := withTypes(item)
			if err != nil {
				return nil, err
			}
			v[key] = typed
		}
	}
	return value, nil
}

func typedValue(name string, value any) (any, error) {
	text := fmt.Sprint(value)
	switch name {
	case "int", "int8", "int16", "int32", "int64", "time.Duration":
		n, err := strconv.ParseInt(text, 10, 64)
		return signed(name, n), err
	case "uint", "uint8", "uint16", "uint32", "uint64":
		n, err := strconv.ParseUint(text, 10, 64)
		return unsigned(name, n), err
	case "float64":
		return strconv.ParseFloat(text, 64)
	case "[]string":
		return fill[[]string](value)
	case "[]int":
		return fill[[]int](value)
	case "[]uint8":
		return []byte(text), nil
	case "[][]interface {}":
		return fill[[][]any](value)
	case "[]interface {}":
		return fill[[]any](value)
	case "map[string]string":
		return fill[map[string]string](value)
	case "map[string]int":
		return fill[map[string]int](value)
	case "map[string]interface {}":
		return fill[map[string]any](value)
	}
	return nil, fmt.Errorf("data: unknown type %q", name)
}

func signed(name string, n int64) any {
	switch name {
	case "int8":
		return int8(n)
	case "int16":
		return int16(n)
	case "int32":
		return int32(n)
	case "int64":
		return n
	case "time.Duration":
		return time.Duration(n)
	}
	return int(n)
}

func unsigned(name string, n uint64) any {
	switch name {
	case "uint8":
		return uint8(n)
	case "uint16":
		return uint16(n)
	case "uint32":
		return uint32(n)
	case "uint64":
		return n
	}
	return uint(n)
}

// fill converts a list or an object; nil gives a nil slice or map.
func fill[T any](value any) (any, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	var typed T
	err = json.Unmarshal(text, &typed)
	return typed, err
}
