package sdk

import (
	"database/sql/driver"
	"fmt"
	"reflect"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

func encodeArguments(args []any) ([]*abi.Value, error) {
	values := make([]*abi.Value, len(args))
	for i, arg := range args {
		value, err := encodeArgument(arg)
		if err != nil {
			return nil, fmt.Errorf("argument %d: %w", i+1, err)
		}
		values[i] = value
	}
	return values, nil
}

// encodeArgument encodes the types that database/sql accepts, and for "= ANY($1)" slices of strings and
// integers.
func encodeArgument(arg any) (*abi.Value, error) {
	switch v := arg.(type) {
	case nil:
		return &abi.Value{}, nil
	case bool:
		return &abi.Value{Kind: &abi.Value_Boolean{Boolean: v}}, nil
	case string:
		return &abi.Value{Kind: &abi.Value_Text{Text: v}}, nil
	case []byte:
		if v == nil {
			return &abi.Value{}, nil
		}
		return &abi.Value{Kind: &abi.Value_Bytes{Bytes: v}}, nil
	case time.Time:
		return &abi.Value{Kind: &abi.Value_TimeMicros{TimeMicros: v.UnixMicro()}}, nil
	case []string:
		return &abi.Value{Kind: &abi.Value_Texts{Texts: &abi.TextList{Values: v}}}, nil
	case []int64:
		return &abi.Value{Kind: &abi.Value_Integers{Integers: &abi.IntegerList{Values: v}}}, nil
	case driver.Valuer:
		if pointer := reflect.ValueOf(v); pointer.Kind() == reflect.Pointer && pointer.IsNil() {
			return &abi.Value{}, nil
		}
		plain, err := v.Value()
		if err != nil {
			return nil, err
		}
		return encodeArgument(plain)
	}
	return encodeByKind(reflect.ValueOf(arg))
}

// encodeByKind encodes named types and pointers by their underlying kind.
func encodeByKind(v reflect.Value) (*abi.Value, error) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return &abi.Value{}, nil
		}
		return encodeArgument(v.Elem().Interface())
	case reflect.Bool:
		return &abi.Value{Kind: &abi.Value_Boolean{Boolean: v.Bool()}}, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return &abi.Value{Kind: &abi.Value_Integer{Integer: v.Int()}}, nil
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return &abi.Value{Kind: &abi.Value_Integer{Integer: int64(v.Uint())}}, nil
	case reflect.Float32, reflect.Float64:
		return &abi.Value{Kind: &abi.Value_Number{Number: v.Float()}}, nil
	case reflect.String:
		return &abi.Value{Kind: &abi.Value_Text{Text: v.String()}}, nil
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return encodeArgument(v.Bytes())
		}
	}
	return nil, fmt.Errorf("a %s cannot be sent to the database", v.Type())
}
