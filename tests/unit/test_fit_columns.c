/* SPDX-License-Identifier: BSD-3-Clause
 * Columns of the table of types that a formula names: their slopes, a fit that finds them again, the model that is
 * written, and what is refused. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "fit/objective.h"
#include "fit_fixture.h"
#include "shoal/shoal.h"

#define FORMULA "E0*((1+H)*(R0/r)^9 - 1.5*(R0/r)^6) - b*(poli*wj + polj*wi)*exp(-0.5*(wi+wj)*r)"
static const char column_dofs[] = "O_3 R 1.2 2.2 1 0 0 0 0\n"
                                  "O_3 pol 0.1 2 1 0 0 0 0\nH_O pol 0.1 2 1 0 0 0 0\n"
                                  "C_3 pol 0.1 3 1 0 0 0 0\nO_3 w 1 3 1 0 0 0 0\n"
                                  "H_O w 1 3 1 0 0 0 0\n* b 0.1 3 1 0 0 0 0 0.9\n";

static shoal_fit *make(const shoal_dataset *data, const char *dofs, const char *formula,
                       const char *columns)
{
    shoal_fit *fit = NULL;
    CHECK(shoal_fit_create_memory(
              &fit, data, dofs, "dofs",
              &(shoal_fit_options){
                  .model = formula, .columns = columns, .pool = -1, .strict = true}) == SHOAL_OK);
    CHECK_TEXT(shoal_error_text(), "");
    return fit;
}

/* Every row of derivatives against differences of the energies. */
static void check_slopes(void)
{
    shoal_dataset *data = fixture_data_of(fixture_column_types, 2, 0.0);
    shoal_fit *fit = make(data, column_dofs, FORMULA, "pol w");
    const fit_problem *problem = &fit->problem;
    fit_evaluator *ev = fit->evaluator;
    double p[100], energy[3][16], rows[16 * 8];
    CHECK(problem->n_samples == 6 && problem->n_free == 7 && problem->n_slots < 100);
    fit_slots(fit, fit->value, p);
    CHECK(ev->rows(ev, p, energy[0], rows) == SHOAL_OK);
    for (int32_t c = 0; c < problem->n_free; ++c) {
        const int32_t slot = problem->column_slot[c];
        const double x = p[slot], h = 1e-4;
        double most = 0.0;
        for (int k = 1; k <= 2; ++k) {
            p[slot] = k == 1 ? x + h : x - h;
            CHECK(ev->energies(ev, p, energy[k]) == SHOAL_OK);
        }
        p[slot] = x;
        for (int32_t s = 0; s < problem->n_samples; ++s) {
            const double want = (energy[1][s] - energy[2][s]) / (2.0 * h);
            const double got = rows[problem->row_start[s] + c];
            CHECK_NEAR(got, want, 1e-7 * (1.0 + fabs(want)));
            most = fmax(most, fabs(got));
        }
        CHECK(most > 1e-6);
    }
    shoal_fit_destroy(fit);
    shoal_dataset_destroy(data);
}

/* Energies of known columns are fitted, and the columns found again. */
static void check_recovery(void)
{
    shoal_dataset *data = fixture_data_of(fixture_column_types, 3, 0.0);
    shoal_fit *fit =
        make(data, "O_3 pol 0.1 2 1 0 0 0 0\nC_3 pol 0.1 3 1 0 0 0 0\n* b 0.9 0.9 1 0 0 0 0 0.9\n",
             FORMULA, "pol w");
    const double truth[] = {1.1, 1.3};
    double parts[9][SHOAL_N_PARTS];
    for (int32_t i = 0; i < 2; ++i) CHECK(shoal_fit_set_value(fit, i, truth[i]) == SHOAL_OK);
    CHECK(shoal_fit_predict(fit, parts) == SHOAL_OK);
    for (int32_t s = 0; s < 9; ++s) {
        fit->reference[s] = 0.0;
        for (int k = 0; k < SHOAL_N_PARTS; ++k) fit->reference[s] += parts[s][k];
    }
    CHECK(shoal_fit_set_value(fit, 0, 0.8) == SHOAL_OK &&
          shoal_fit_set_value(fit, 1, 1.6) == SHOAL_OK);
    shoal_fit_result r;
    CHECK(shoal_fit_run(fit, NULL, &r) == SHOAL_OK && r.converged);
    for (int32_t i = 0; i < 2; ++i) {
        shoal_dof_info d;
        CHECK(shoal_fit_dof(fit, i, &d) == SHOAL_OK);
        CHECK_TEXT(d.comp, "pol");
        CHECK_NEAR(d.value, truth[i], 1e-6);
    }
    shoal_fit_destroy(fit);
    shoal_dataset_destroy(data);
}

/* What was fitted goes through a file into the engine's model, and into a fit that is only evaluated. */
static void check_file(void)
{
    static const char path[] = "test_fit_columns.dat";
    shoal_dataset *data = fixture_data_of(fixture_column_types, 2, 0.0);
    shoal_fit *fit = make(data, column_dofs, FORMULA, "pol w"), *given = NULL;
    shoal_pair_model *model = NULL;
    double want[6][SHOAL_N_PARTS], got[6][SHOAL_N_PARTS];
    CHECK(shoal_fit_set_value(fit, 1, 1.23456789) == SHOAL_OK);
    CHECK(shoal_fit_write_model(fit, path) == SHOAL_OK);
    CHECK(shoal_pair_model_read(&model, path) == SHOAL_OK);
    CHECK_TEXT(shoal_error_text(), "");
    const shoal_pair_settings *s = shoal_pair_model_settings(model);
    CHECK(s && s->n_columns == 2);
    CHECK_TEXT(s->columns[0], "pol");
    CHECK_TEXT(s->columns[1], "w");
    const shoal_atom_types *types = shoal_pair_model_types(model);
    CHECK(shoal_atom_types_column(types, 0, 0) == 1.23456789);
    CHECK(shoal_atom_types_column(types, 2, 1) == 1.5);
    CHECK(isnan(shoal_atom_types_column(types, 2, 2)) &&
          isnan(shoal_atom_types_column(types, 9, 0)));
    shoal_dataset *other = NULL;
    char *text = fixture_frames(2);
    CHECK(shoal_dataset_create(&other, types) == SHOAL_OK);
    CHECK(shoal_dataset_add_memory(other, text, strlen(text), "frames", 1.0) == SHOAL_OK);
    CHECK(shoal_fit_create_model(&given, other, model, 1) == SHOAL_OK);
    CHECK(shoal_fit_predict(fit, want) == SHOAL_OK && shoal_fit_predict(given, got) == SHOAL_OK);
    for (int32_t k = 0; k < 6; ++k) CHECK_NEAR(got[k][1], want[k][1], 1e-12 * fabs(want[k][1]));
    free(text);
    (void)unlink(path);
    shoal_fit_destroy(given);
    shoal_dataset_destroy(other);
    shoal_pair_model_destroy(model);
    shoal_fit_destroy(fit);
    shoal_dataset_destroy(data);
}

/* A column whose place alone counts has no slope, and its DOFs say why. */
static void check_frozen(void)
{
    shoal_dataset *data = fixture_data_of(fixture_column_types, 1, 0.0);
    shoal_fit *fit =
        make(data, "O_3 pol 0.1 2 1 0 0 0 0\nO_3 w 1 3 1 0 0 0 0\n", "E0*(R0/r)^9*wi*wj", "pol w");
    shoal_dof_info d;
    CHECK(shoal_fit_free_dofs(fit) == 1 && shoal_fit_dof(fit, 0, &d) == SHOAL_OK);
    CHECK(d.frozen && d.why);
    CHECK_TEXT(d.why, "the formula does not use this column");
    shoal_fit_destroy(fit);
    shoal_dataset_destroy(data);
}

static void refuse(const char *table, const char *dofs, const char *formula, const char *columns,
                   const char *why)
{
    shoal_dataset *data = fixture_data_of(table, 1, 0.0);
    shoal_fit *fit = NULL;
    CHECK(shoal_fit_create_memory(&fit, data, dofs, "dofs",
                                  &(shoal_fit_options){.model = formula, .columns = columns}) !=
          SHOAL_OK);
    if (!strstr(shoal_error_text(), why)) (void)printf("'%s', not '%s'\n", shoal_error_text(), why);
    CHECK(!fit && strstr(shoal_error_text(), why) != NULL);
    shoal_dataset_destroy(data);
}

static void check_refusals(void)
{
    static const char one[] = "O_3 R 1.2 2.2 1 0 0 0 0\n", f[] = "E0*(R0/r)^9*poli*polj";
    const char *table = fixture_column_types;
    refuse(table, "O_3 vol 0 1 1 0 0 0 0\n", f, "pol",
           "unknown component ('vol'), expected 0 or R, 1 or E, 2 or Q, 3 or H, 4 or L, or a "
           "column");
    refuse(table, one, f, NULL, "the formula uses 'poli', which has no value");
    refuse(table, one, "E0*(R0/r)^9*pol", "pol", "expected i or j behind the name of a column");
    refuse(table, one, f, "pol w", "the formula does not use the column w");
    refuse(table, one, "morse", "pol", "columns 'pol': the model morse has none");
    refuse(table, one, f, "p", "column 'p': pi has a meaning of its own");
    refuse(table, one, f, "R", "column 'R': Ri has a meaning of its own");
    refuse(table, one, f, "L", "column 'L': it has a meaning of its own");
    refuse(table, one, f, "pol pol", "column 'pol': expected every name once");
    refuse(table, one, f, "2nd", "column '2nd': expected a name");
    refuse(table, one, f, "v w x y pol", "column 'pol': expected at most 4 columns");
    refuse(fixture_types, one, f, "pol", "type O_3 has no pol: expected a number in column 14");
    refuse(table, one, "E0*(R0/r)^9*voli*volj", "pol w vol",
           "type O_3 has no vol: expected a number in column 16");
    refuse(table, one, "E0*(R0/r)^9*poli", "pol", "changes if the two atoms change places");
    /* Also where all types begin with the same number. */
    static const char even[] = "O_3 * O E_O3 2 2 0 0 0.66 1.75 0.0026 -0.4 -0.5 0.8\n"
                               "H_O * H * 1 0 0 0 0.35 1.40 0.0007 0.2 0.6 0.8\n"
                               "C_3 * C * 4 0 0 0 0.75 1.90 0.0045 0.1 0.0 0.8\n"
                               "E_O3 * E * 0 0 0 0 0.00 0.80 0.0000 -0.1 -0.3 0.8\n";
    refuse(even, one, "E0*(R0/r)^9*poli", "pol", "changes if the two atoms change places");
}

/* The same refusals where a model is read. */
static void refuse_model(const char *head, const char *table, const char *why)
{
    char text[1000];
    shoal_pair_model *model = NULL;
    (void)snprintf(text, sizeof text, "shoal_pair_model 1\n%stypes\n%s", head, table);
    CHECK(shoal_pair_model_read_memory(&model, text, strlen(text), "model") == SHOAL_E_FORMAT);
    if (!strstr(shoal_error_text(), why)) (void)printf("'%s', not '%s'\n", shoal_error_text(), why);
    CHECK(!model && strstr(shoal_error_text(), why) != NULL);
}

static void check_models(void)
{
    static const char f[] = "form formula\nformula E0*poli*polj/r\n";
    char head[200];
    refuse_model("form morse\ncolumn pol\n", fixture_column_types, "columns without a formula");
    refuse_model(f, fixture_column_types, "the constant poli has no value");
    (void)snprintf(head, sizeof head, "%scolumn pol\n", f);
    refuse_model(head, fixture_types, "type O_3 has no pol");
    (void)snprintf(head, sizeof head, "%scolumn pol\ncolumn Q\n", f);
    refuse_model(head, fixture_column_types, "column 'Q': Qi has a meaning of its own");
    (void)snprintf(head, sizeof head, "%scolumn\n", f);
    refuse_model(head, fixture_column_types, "bad name");
}

int main(void)
{
    check_slopes();
    check_recovery();
    check_file();
    check_frozen();
    check_refusals();
    check_models();
    return check_done();
}
