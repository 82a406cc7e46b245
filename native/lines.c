/* Lines of blank-separated fields: the rows of a run, and the columns of judgments. */

#include "fields.h"

int grown(void *array, size_t *most, size_t needed, size_t size)
{
    if (needed <= *most)
        return 1;
    size_t n = 2 * needed + 64;
    void *larger = n <= SIZE_MAX / size ? realloc(*(void **)array, n * size) : NULL;
    if (!larger)
        return 0;
    *(void **)array = larger;
    *most = n;
    return 1;
}

int hold(Data *data, PyObject *bytes)
{
    if (!PyBytes_CheckExact(bytes) && !PyByteArray_CheckExact(bytes)) { /* other types may not end with a zero byte */
        PyErr_SetString(PyExc_TypeError, "lines are bytes or a bytearray");
        return -1;
    }
    if (PyObject_GetBuffer(bytes, &data->view, PyBUF_SIMPLE) < 0)
        return -1;
    data->at = data->view.buf;
    data->end = data->at + data->view.len;
    return 0;
}

void release(Data *data)
{
    PyBuffer_Release(&data->view);
}

/* In stretches whose count fits in a byte, so that compilers can vectorise the loop. */
size_t n_lines(Text data, Text end)
{
    size_t n = 0;
    while (data < end) {
        Text stop = end - data > 192 ? data + 192 : end;
        unsigned char some = 0;
        for (; data < stop; data++)
            some += *data == '\n';
        n += some;
    }
    return n;
}

int is_known(const Layout *layout)
{
    int places[] = {layout->query, layout->document, layout->score}, known = layout->n_fields < MOST_FIELDS;
    for (int i = 0; i < 3; i++)
        known = known && places[i] >= 0 && places[i] < layout->n_fields;
    return known;
}

static int is_long(Rows *rows, size_t row, Text start, Text end, Text data)
{
    if (!grown(&rows->long_number, &rows->most_long, 3 * (rows->n_long + 1), sizeof(size_t)))
        return NO_MEMORY;
    size_t *long_number = rows->long_number + 3 * rows->n_long++;
    long_number[0] = row;
    long_number[1] = start - data;
    long_number[2] = end - start;
    return DONE;
}

static int read_score(Rows *rows, size_t row, Text start, Text end, Text data, Text data_end)
{
    switch (number(start, end, data_end, &rows->score[row])) {
    case NO_NUMBER:
        return IRREGULAR;
    case LONG_NUMBER:
        return is_long(rows, row, start, end, data);
    default:
        return fabs(rows->score[row]) >= EXACT ? IRREGULAR : DONE;
    }
}

/* Allocate room for this many rows; previous content is lost. */
static int has_rows(Rows *rows, size_t most)
{
    if (most <= rows->most_rows)
        return 1;
    free(rows->score);
    free(rows->name);
    free(rows->size);
    rows->score = malloc(most * sizeof(double));
    rows->name = malloc(most * sizeof(Text));
    rows->size = malloc(most * sizeof(uint32_t));
    rows->most_rows = rows->score && rows->name && rows->size ? most : 0;
    return rows->most_rows > 0;
}

int read_rows(Rows *rows, const Layout *layout, Text data, Text end)
{
    Lines lines = lines_of(data, end);
    Text field[MOST_FIELDS], field_end[MOST_FIELDS], query = NULL;
    size_t most = (size_t)(end - data) / (2 * (size_t)layout->n_fields) + 1; /* a field takes at least two bytes */
    size_t query_size = 0;
    int n;
    if (!has_rows(rows, most))
        return NO_MEMORY;
    while ((n = next_line(&lines, layout, field, field_end)) > 0) {
        size_t row = rows->n_rows++, size = field_end[layout->query] - field[layout->query];
        if (n > layout->n_fields && IS_DIGIT(*field[layout->score + 1])) /* perhaps a score such as 1 000 */
            return IRREGULAR;
        int outcome = read_score(rows, row, field[layout->score], field_end[layout->score], data, end);
        if (outcome != DONE)
            return outcome;
        rows->name[row] = field[layout->document];
        rows->size[row] = (uint32_t)(field_end[layout->document] - field[layout->document]);
        if (row == 0 || !same_name(query, query_size, field[layout->query], size)) {
            query = field[layout->query];
            query_size = size;
            if (!grown(&rows->stretch, &rows->most_stretches, rows->n_stretches + 1, sizeof(Stretch)))
                return NO_MEMORY;
            Stretch stretch = {query, (uint32_t)size, (uint32_t)row};
            rows->stretch[rows->n_stretches++] = stretch;
        }
    }
    return n < 0 || rows->n_rows == 0 ? IRREGULAR : DONE;
}

/* Convert scores that need more than one operation with Python's own conversion. */
int convert_long_numbers(const Rows *rows, Text data)
{
    char text[2 * LONGEST_NUMBER];
    for (size_t i = 0; i < rows->n_long; i++) {
        const size_t *long_number = rows->long_number + 3 * i;
        if (long_number[2] >= sizeof text)
            return IRREGULAR;
        memcpy(text, data + long_number[1], long_number[2]);
        text[long_number[2]] = 0;
        double value = PyOS_string_to_double(text, NULL, NULL);
        if (value == -1 && PyErr_Occurred())
            return -1;
        if (fabs(value) >= EXACT)
            return IRREGULAR;
        rows->score[long_number[0]] = value;
    }
    return DONE;
}

void free_rows(Rows *rows)
{
    free(rows->score);
    free(rows->name);
    free(rows->size);
    free(rows->stretch);
    free(rows->long_number);
}

PyObject *line_ends(PyObject *module, PyObject *bytes)
{
    (void)module;
    Data data;
    size_t n;
    if (hold(&data, bytes) < 0)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    n = n_lines(data.at, data.end);
    Py_END_ALLOW_THREADS
    release(&data);
    return PyLong_FromSize_t(n);
}

/* ---- Columns ----------------------------------------------------------------------------------------------------- */

/* The values of a field. They are written into the objects that Python gets: copying them would take as long. */
typedef struct {
    PyObject *data, *start, *length, *number; /* names, of which one that is equal to the previous one is stored once */
} Column;

#define PADDING 8 /* zeros after the names, so that whole words can be read */

static PyObject *room(size_t n_bytes)
{
    return PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)n_bytes);
}

static int has_room_for(Column *column, char kind, size_t most_rows, size_t most_bytes)
{
    if (kind == 'd')
        return (column->number = room(most_rows * sizeof(double))) != NULL;
    if (kind != 'n')
        return 1;
    column->data = room(most_bytes + PADDING);
    column->start = room(most_rows * sizeof(int32_t));
    column->length = room(most_rows * sizeof(uint16_t));
    return column->data && column->start && column->length;
}

typedef struct {
    unsigned char *data;
    int32_t *start;
    uint16_t *length;
    double *number;
    size_t n_bytes;
} Values;

static Values values_of(const Column *column)
{
    Values values = {0};
    if (column->number)
        values.number = (double *)PyByteArray_AsString(column->number);
    if (column->data) {
        values.data = (unsigned char *)PyByteArray_AsString(column->data);
        values.start = (int32_t *)PyByteArray_AsString(column->start);
        values.length = (uint16_t *)PyByteArray_AsString(column->length);
    }
    return values;
}

static int add_name(Values *values, size_t row, Text name, size_t size)
{
    if (size > UINT16_MAX)
        return IRREGULAR;
    if (row && same_name(values->data + values->start[row - 1], values->length[row - 1], name, size))
        values->start[row] = values->start[row - 1];
    else {
        memcpy(values->data + values->n_bytes, name, size);
        values->start[row] = (int32_t)values->n_bytes;
        values->n_bytes += size;
    }
    values->length[row] = (uint16_t)size;
    return DONE;
}

static int read_columns(Values *values, const char *kind, const Layout *layout, Text data, Text end, size_t *n_rows)
{
    Lines lines = lines_of(data, end);
    Text field[MOST_FIELDS], field_end[MOST_FIELDS];
    size_t row = 0;
    int n;
    for (; (n = next_line(&lines, layout, field, field_end)) > 0; row++)
        for (int i = 0; i < layout->n_fields; i++) {
            if (kind[i] == 'n' && add_name(&values[i], row, field[i], field_end[i] - field[i]) != DONE)
                return IRREGULAR;
            if (kind[i] == 'd' && (number(field[i], field_end[i], end, &values[i].number[row]) != NUMBER ||
                                   fabs(values[i].number[row]) >= EXACT))
                return IRREGULAR;
        }
    *n_rows = row;
    return n < 0 ? IRREGULAR : DONE;
}

static int cut(PyObject *bytes, size_t size)
{
    return PyByteArray_Resize(bytes, (Py_ssize_t)size) == 0;
}

static PyObject *as_column(Column *column, size_t n_rows, size_t n_bytes)
{
    if (column->number)
        return cut(column->number, n_rows * sizeof(double)) ? Py_NewRef(column->number) : NULL;
    if (!column->data)
        return Py_NewRef(Py_None);
    memset(PyByteArray_AsString(column->data) + n_bytes, 0, PADDING);
    if (!cut(column->data, n_bytes + PADDING) || !cut(column->start, n_rows * sizeof(int32_t)) ||
        !cut(column->length, n_rows * sizeof(uint16_t)))
        return NULL;
    return PyTuple_Pack(3, column->data, column->start, column->length);
}

/* columns(data, kinds): for each field of every line, by its kind, `n` the names (bytes, followed by zeros, their starts
   and lengths), `d` the numbers, anything else None; None for all if the lines are not plain. */
PyObject *columns(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *bytes, *result = NULL;
    Data data;
    const char *kind;
    Py_ssize_t n_fields;
    Column column[MOST_FIELDS] = {0};
    Values values[MOST_FIELDS];
    size_t n_rows = 0;
    if (!PyArg_ParseTuple(arguments, "Oy#", &bytes, &kind, &n_fields) || hold(&data, bytes) < 0)
        return NULL;
    Layout layout = {0, 0, 0, (int)n_fields, 0};
    int outcome = n_fields >= 1 && n_fields < MOST_FIELDS && data.end - data.at < INT32_MAX ? DONE : IRREGULAR;
    size_t most_rows = outcome == DONE ? n_lines(data.at, data.end) + 1 : 0;
    for (int i = 0; i < n_fields && outcome == DONE; i++) {
        outcome = has_room_for(&column[i], kind[i], most_rows, (size_t)(data.end - data.at)) ? DONE : -1;
        if (outcome == DONE)
            values[i] = values_of(&column[i]);
    }
    if (outcome == DONE) {
        Py_BEGIN_ALLOW_THREADS
        outcome = read_columns(values, kind, &layout, data.at, data.end, &n_rows);
        Py_END_ALLOW_THREADS
    }
    release(&data);
    if (outcome == DONE)
        result = PyTuple_New(n_fields);
    else if (outcome == IRREGULAR)
        result = Py_NewRef(Py_None);
    for (int i = 0; i < n_fields && outcome == DONE && result; i++) {
        PyObject *each = as_column(&column[i], n_rows, values[i].n_bytes);
        if (!each || PyTuple_SetItem(result, i, each) < 0)
            Py_CLEAR(result);
    }
    for (int i = 0; i < MOST_FIELDS; i++) {
        Py_XDECREF(column[i].data);
        Py_XDECREF(column[i].start);
        Py_XDECREF(column[i].length);
        Py_XDECREF(column[i].number);
    }
    return result;
}
