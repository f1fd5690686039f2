package dev.sluice.scheduler.replay;

import dev.sluice.contract.value.DispatchId;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A record with one value changed, for each value in it: of nested records, of the elements of
 * lists and of the values of maps too. A record with a new kind of component fails here.
 *
 * @param path components down to the value
 * @param event the changed record
 */
record Changed(String path, Object event) {
  static List<Changed> each(Object record) throws ReflectiveOperationException {
    return ofRecord("", record);
  }

  private static List<Changed> ofRecord(String path, Object record)
      throws ReflectiveOperationException {
    RecordComponent[] components = record.getClass().getRecordComponents();
    Object[] values = new Object[components.length];
    for (int i = 0; i < values.length; i++) {
      components[i].getAccessor().setAccessible(true);
      values[i] = components[i].getAccessor().invoke(record);
    }
    Class<?>[] types =
        Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
    var make = record.getClass().getDeclaredConstructor(types);
    make.setAccessible(true);
    List<Changed> all = new ArrayList<>();
    for (int i = 0; i < values.length; i++) {
      String name = path + "." + components[i].getName();
      for (Changed value : ofValue(name, values[i], components[i].getGenericType())) {
        Object[] changed = values.clone();
        changed[i] = value.event();
        all.add(new Changed(value.path(), make.newInstance(changed)));
      }
    }
    return all;
  }

  private static List<Changed> ofValue(String path, @Nullable Object value, Type type)
      throws ReflectiveOperationException {
    if (value instanceof Record) {
      return ofRecord(path, value);
    }
    if (value instanceof List<?> list) {
      List<Changed> all = new ArrayList<>();
      for (int i = 0; i < list.size(); i++) {
        Type element = ((ParameterizedType) type).getActualTypeArguments()[0];
        for (Changed one : ofValue(path + "[" + i + "]", list.get(i), element)) {
          List<Object> changed = new ArrayList<>(list);
          changed.set(i, one.event());
          all.add(new Changed(one.path(), changed));
        }
      }
      if (list.size() > 1) {
        all.add(new Changed(path + ".size()", list.subList(0, list.size() - 1)));
      }
      return all;
    }
    if (value instanceof Map<?, ?> map) {
      List<Changed> all = new ArrayList<>();
      for (Object key : map.keySet()) {
        Map<Object, Object> changed = new LinkedHashMap<>(map);
        changed.put(key, (Double) map.get(key) + 0.25);
        all.add(new Changed(path + "." + key, changed));
      }
      Map<Object, Object> more = new LinkedHashMap<>(map);
      more.put("another", 1.0);
      all.add(new Changed(path + ".another", more));
      return all;
    }
    return List.of(new Changed(path, ofLeaf(path, value, (Class<?>) type)));
  }

  private static Object ofLeaf(String path, @Nullable Object value, Class<?> type) {
    if (type == long.class || type == Long.class) {
      return value == null ? 7L : (Long) value + 1;
    }
    if (type == int.class || type == Integer.class) {
      return value == null ? 7 : (Integer) value + 1;
    }
    if (type == String.class) {
      return value == null ? "another" : value + "x";
    }
    if (type.isEnum()) {
      Object[] constants = type.getEnumConstants();
      return constants[0].equals(value) ? constants[1] : constants[0];
    }
    if (type.isRecord()) { // a record that is absent
      return new DispatchId(1, 1);
    }
    throw new AssertionError(path + " is of " + type + ", and no other value of it is known");
  }
}
